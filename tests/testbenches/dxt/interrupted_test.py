"""Runs that a signal ends from outside: they end by it, and what they were writing is gone."""
import os
import shlex
import signal
import subprocess
import time

from dxt_program import PROGRAM, DxtTest

LONG = "--shape 256x256x256 --no-check --quiet --vcd wave --watch 0,0,0 --output y.npy"  # tens of seconds, if it ended


class InterruptedRun(DxtTest):
    def start_and_wait_for_temporary(self, more="", **keywords):
        run = subprocess.Popen([PROGRAM, *shlex.split(f"{LONG} {more}")], cwd=self.directory, stdin=subprocess.DEVNULL,
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

    def test_a_directory_made_for_it_does_not_stay(self):
        for number in (signal.SIGTERM, signal.SIGQUIT):
            with self.subTest(signal=number):
                run = self.start_and_wait_for_temporary("--out made/inside")
                self.assertTrue(os.path.isdir(self.path("made/inside")))
                run.send_signal(number)
                self.assertEqual(run.wait(60), -number)
                self.assertEqual(os.listdir(self.directory), [])

    def test_one_run_at_a_time_writes_a_directory(self):
        run = self.start_and_wait_for_temporary("--out files")
        second = self.run_program("--shape 2x2x2 --quiet --out files")
        self.assertEqual((second.status, second.err),
                         (2, "dxt: --out: 'files' is being written by another run, expected another directory\n"))
        run.kill()
        run.wait(60)
        self.assertEqual(self.run_program("--shape 2x2x2 --quiet --out files").status, 0)
        self.assertTrue(os.path.exists(self.path("files/summary.json")))

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
