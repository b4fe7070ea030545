"""Background transfers with the real agent: functions for scripts of far_machine.py, which executes this file.

A server with TLS is on the far machine. A daemon on this machine keeps the transfers of an app, whose extension begins
them. The script sets AGENT, SERVER, APP and GROUP: the agent's program, the server's, the app's folder, and its group.
"""
import ctypes, signal, time

ID = 'com.example.shout.loud'
NETWORK, GROUPS = 'com.apple.security.network.client', 'com.apple.security.application-groups'
PLACE = '10.77.0.3'
os.environ.update(ANNEX_REPORTS='')

def wait_for(condition):
    """Waits until a condition holds. Between two looks, processes with the lowest priority can run."""
    while not condition():
        time.sleep(0.02)

def start_server():
    """Starts the server, and returns its process and the beginning of its URLs. `#` stands for a letter."""
    os.mkdir('server')
    names(NAMES + ''.join(f'{PLACE} {letter}.packages.example\n' for letter in 'abcd'))
    process = subprocess.Popen(['nsenter', '-t', str(machine.pid), '-n', sys.executable, SERVER, 'server', PLACE,
                                'far.pem', 'far.key'])
    wait_for(lambda: os.path.exists('server/port') or process.poll() is not None)
    assert process.poll() is None, 'the server has ended'
    with open('server/port') as file:
        return process, f'https://#.packages.example:{file.read()}'

def start_daemon(*more):
    """Starts a daemon with the agent, and returns it when it answers."""
    with open('daemon.log', 'a') as log:
        process = subprocess.Popen(
            [ANNEX + 'd', '--socket', 's', '--state', 'state', '--verbose', '--patience', '3000',
             '--never-hold-back', '--transfer-program', AGENT, '--transfer-authorities', 'far.pem', *more], stderr=log)
    while process.poll() is None:
        try:
            socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect('s')
            return process
        except OSError:
            pass
    with open('daemon.log') as log:
        raise AssertionError(f'the daemon has ended: {log.read()[-2000:]}')

def install():
    for words in [('install', APP), ('grant', ID, GROUPS), ('grant', ID, NETWORK)]:
        run = tool(*words)
        assert run.returncode == 0, run.stderr

def ask(*words):
    """The answer of the extension."""
    return tool('request', ID, '--text', ' '.join(str(word) for word in words)).stdout.strip()

def group_folder(name):
    """A folder of the group: the container of its members, or the daemon's folder of staged files."""
    found = [path for path, folders, _ in os.walk('state/private') if path.endswith(f'/{GROUP}')]
    return f'{found[0]}/{name}' if found else None

def lines(name):
    """The lines of a file in the container."""
    try:
        with open(group_folder('container') + '/' + name) as file:
            return file.read().splitlines()
    except (OSError, TypeError):
        return []

def notes(name):
    """What the server has noted: its requests, or the uploads that it has kept."""
    try:
        with open('server/' + name) as file:
            return [json.loads(line) for line in file]
    except OSError:
        return []

BLOCK = bytes((i * 131 ^ i >> 7) & 255 for i in range(65521))

def is_right(name, size):
    """Whether a file of the container has the bytes of the server's files."""
    with open(group_folder('container') + '/' + name, 'rb') as file:
        return file.read() == (BLOCK * (size // len(BLOCK) + 1))[:size]

def staged():
    """The files and folders that the daemon has staged."""
    return [path for path, folders, files in os.walk(group_folder('transfers') or 'none') if files or folders]

def transfers():
    """All tasks in the daemon's book; nil if the daemon does not answer."""
    run = tool('transfer', 'list', '--json')
    return json.loads(run.stdout)['transfers'] if run.returncode == 0 else None

# Processes

def adopt_orphans():
    """From now on, processes whose parents end become children of this one, such as the wardens of daemons and the apps
    that they start. So none of them is missed."""
    assert ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0

def family():
    """The processes below this one, with the first words of their command lines. Dead ones do not count."""
    parents, dead = {}, set()
    for name in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{name}/stat') as file:
                state, parent = file.read().rsplit(')', 1)[1].split()[:2]
        except OSError:
            continue
        parents[int(name)] = int(parent)
        if state == 'Z':
            dead.add(int(name))
    found = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    words = {}
    for process in found - dead - {os.getpid()}:
        try:
            with open(f'/proc/{process}/cmdline') as file:
                words[process] = file.read().split('\0')[0]
        except OSError:
            pass
    return words

def agents():
    return [process for process, word in family().items() if word.endswith('/annex-transfer')]

def extensions():
    return [process for process, word in family().items() if word.startswith(ID)]

def apps():
    return [process for process, word in family().items() if word.endswith('/Shout')]

def stop(process, how=signal.SIGTERM):
    process.send_signal(how)
    process.wait()
