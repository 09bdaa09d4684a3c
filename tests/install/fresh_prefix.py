"""Installs the build into the prefix of the tests, which is empty before."""
import os
import shutil
import subprocess

shutil.rmtree(os.environ["TENSORLOOM_PREFIX"], ignore_errors=True)
environment = {name: value for name, value in os.environ.items() if name != "DESTDIR"}
subprocess.run(["cmake", "--install", os.environ["TENSORLOOM_BUILD"], "--config", os.environ["TENSORLOOM_CONFIG"],
                "--prefix", os.environ["TENSORLOOM_PREFIX"]], env=environment, check=True)
