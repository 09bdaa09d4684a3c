"""python3 -m tensorloom"""
import sys

from tensorloom.command import main

sys.exit(main())
