"""Runs that a signal ends from outside: they end by it, and what they were writing is gone."""
import os
import shlex
import signal
import subprocess
import time

from dxt_program import PROGRAM, DxtTest

LONG = "--shape 256x256x256 --no-check --quiet --vcd wave --watch 0,0,0 --output y.npy"  # tens of seconds, if it ended


class InterruptedRun(DxtTest):
    def start_and_wait_for_temporary(self, **keywords):
        run = subprocess.Popen([PROGRAM, *shlex.split(LONG)], cwd=self.directory, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, **keywords)
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        end = time.monotonic() + 60
        while not any(name.startswith(".tensorloom-") and name.endswith(".vcd") for name in os.listdir(self.directory)):
            self.assertIsNone(run.poll(), "the run ended too early for this test")
            self.assertLess(time.monotonic(), end, "no temporary file")
            time.sleep(0.005)
        return run

    def test_nothing_stays(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                run = self.start_and_wait_for_temporary()
                run.send_signal(number)
                self.assertEqual(run.wait(60), -number)
                self.assertEqual(self.snapshot(), {})

    def test_older_files_stay(self):
        self.save_text("wave", "older")
        run = self.start_and_wait_for_temporary()
        run.send_signal(signal.SIGTERM)
        run.wait(60)
        self.assertEqual(self.snapshot(), {"wave": b"older"})

    def test_ignored_signal_stays_ignored(self):
        run = self.start_and_wait_for_temporary(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))  # nohup
        run.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        self.assertIsNone(run.poll())
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(60), -signal.SIGINT)
        self.assertEqual(self.snapshot(), {})
