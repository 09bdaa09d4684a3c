"""A real Slurm of one node, this machine, in a folder of its own: munged, slurmctld and slurmd, started and stopped."""
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "sinfo", "squeue", "scancel")
SBIN = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
PRCTL, PR_SET_PDEATHSIG = ctypes.CDLL(None).prctl, 1
SECONDS = 60  # until it takes jobs, until it has ended

# Jobs are started as soon as they come, and cores alone are counted.
CONFIGURATION = """ClusterName=tensorloom
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0,sched_interval=1
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing_programs():
    return [name for name in PROGRAMS if shutil.which(name, path=SBIN) is None]


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def end_with_the_test():
    """In a daemon, before it begins: it is killed when its parent dies, however that happens."""
    PRCTL(PR_SET_PDEATHSIG, signal.SIGKILL)


class OneNodeSlurm:
    """To be stopped. `environment` is what sbatch and the others need. Runs as whoever starts it."""

    def __init__(self, folder):
        if missing_programs():
            raise RuntimeError(f"{', '.join(missing_programs())}: missing; scripts/setup --studies installs Slurm")
        self.folder = folder
        self.daemons = []
        os.makedirs(os.path.join(folder, "state"))
        os.makedirs(os.path.join(folder, "spool"))
        os.chmod(folder, 0o755)  # munged insists
        key = os.path.join(folder, "munge.key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o400), "wb") as file:
            file.write(os.urandom(1024))
        controller, node = free_ports(2)
        user = subprocess.run(["id", "-un"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.strip()
        self.environment = {**os.environ, "SLURM_CONF": os.path.join(folder, "slurm.conf"), "PATH": SBIN}
        with open(self.environment["SLURM_CONF"], "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(host=socket.gethostname().split(".")[0], controller=controller, node=node,
                                            folder=folder, user=user, cores=min(2, os.cpu_count())))
        try:
            self._start("munged", "-F", f"--key-file={key}", f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid",
                        f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed")
            self._wait_until(lambda: os.path.exists(f"{folder}/munge.socket"))
            self._start("slurmctld", "-D", "-i")
            self._start("slurmd", "-D")
            self._wait_until(lambda: "idle" in self.asked("sinfo", "--noheader", "--format=%T"))
        except BaseException:
            self.stop()
            raise

    def _start(self, name, *arguments):
        with open(os.path.join(self.folder, f"{name}.out"), "wb") as output:
            self.daemons.append((name, subprocess.Popen([shutil.which(name, path=SBIN), *arguments], env=self.environment,
                                                        stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                                        start_new_session=True, preexec_fn=end_with_the_test)))

    def _wait_until(self, reached):
        deadline = time.monotonic() + SECONDS
        while not reached():
            for name, process in self.daemons:
                if process.poll() is not None:
                    with open(os.path.join(self.folder, f"{name}.out"), encoding="utf-8", errors="replace") as output:
                        raise RuntimeError(f"{name} ended with {process.returncode}: {output.read()[-500:]}")
            if time.monotonic() > deadline:
                raise RuntimeError(f"{', '.join(name for name, _ in self.daemons)}: not ready after {SECONDS} s")
            time.sleep(0.1)

    def asked(self, *command):
        return subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8",
                              check=False).stdout

    def jobs(self):
        """Those in the queue, as (id, name, state)."""
        return [tuple(line.split()) for line in self.asked("squeue", "--noheader", "--format=%i %j %T").splitlines()]

    def stop(self):
        for job, *_ in self.jobs():
            self.asked("scancel", "--signal=KILL", job)
        for _, process in reversed(self.daemons):
            process.terminate()
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
