"""A network of its own with a far machine in it, and a script that runs there.

    unshare -n -m python3 far_machine.py ANNEX SCRIPT

The far machine is another network namespace at the other end of a pair of interfaces. It has servers that note what
reaches them. Nothing leaves the computer. The script is Python; it can use the functions of this file.
"""
import json, os, re, socket, ssl, subprocess, sys, tempfile, textwrap, threading

HERE = ['10.77.0.1', 'fd77::1']
FAR = ['10.77.0.2', '10.77.0.3', '10.77.0.4', 'fd77::2']
PLAIN, SECURE, MUTE = [80, 81, 53], [443, 444, 8443], 9
NAMES = """127.0.0.1 localhost
10.77.0.2 code.example.org
fd77::2 code.example.org
10.77.0.3 www.packages.example evil.example redirect.packages.example
10.77.0.4 old.packages.example
fd77::2 six.packages.example
127.0.0.1 near.packages.example
10.77.0.1 own.packages.example
169.254.169.254 meta.packages.example
"""

# The far machine

def note(**what):
    with open('log', 'a') as log:
        log.write(json.dumps(what) + '\n')

def head(peer):
    """The head of a request, and the bytes of its body that came with it."""
    data = b''
    while b'\r\n\r\n' not in data and len(data) < 65536:
        more = peer.recv(65536)
        if not more:
            return data, b''
        data += more
    return data.split(b'\r\n\r\n', 1) if b'\r\n\r\n' in data else (data, b'')

def answer(peer, port, name):
    """Answers one request: the number of its body's bytes, `?N` zeroes, or a redirect."""
    lines, body = head(peer)
    text = lines.decode('latin1')
    size = re.search(r'(?i)content-length: (\d+)', text)
    got = len(body)
    while size and got < int(size[1]):
        more = peer.recv(1 << 16)
        if not more:
            break
        got += len(more)
    note(port=port, name=name, request=text.split('\r\n')[0], body=got)
    count = re.search(r'\?(\d+) ', text)
    location = re.search(r'\?to=(\S+) ', text)
    if location:
        peer.sendall(b'HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
                     % location[1].encode())
        return
    text = b'' if count else b'hello %d\n' % got
    length = int(count[1]) if count else len(text)
    peer.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n' % length + text)
    zeroes = bytes(1 << 16)
    while length > 0 and count:
        peer.sendall(zeroes[:length])
        length -= min(length, len(zeroes))

def listen(port, backlog=512):
    return socket.create_server(('::', port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=backlog)

def serve(port, listener):
    context = None
    if port in SECURE:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain('far.pem', 'far.key')
        context.sni_callback = lambda peer, name, _: setattr(peer, 'called', name)
    def one(peer):
        try:
            peer.settimeout(60)
            if context:
                peer = context.wrap_socket(peer, server_side=True)
            answer(peer, port, getattr(peer, 'called', None))
            if context:
                peer.unwrap()
        except OSError as error:
            note(port=port, error=type(error).__name__)
        finally:
            peer.close()
    while True:
        threading.Thread(target=one, args=(listener.accept()[0],), daemon=True).start()

def names_of(question):
    """The answer to a question for names: what the file `zone` says, as JSON. A name can have CNAME, A and AAAA."""
    end, labels = 12, []
    while question[end]:
        labels.append(question[end + 1:end + 1 + question[end]].decode())
        end += 1 + question[end]
    kind = int.from_bytes(question[end + 1:end + 3], 'big')
    with open('zone') as file:
        zone = json.load(file)
    records, name = [], '.'.join(labels).lower()
    if zone.get(name) == 'silent':
        return None
    def coded(name):
        return b''.join(bytes([len(part)]) + part.encode() for part in name.split('.')) + b'\0'
    exists = name in zone
    while 'CNAME' in zone.get(name, {}) and len(records) < 40:
        records.append((coded(name), 5, coded(zone[name]['CNAME'])))
        name = zone[name]['CNAME']
    family = {1: (socket.AF_INET, 'A'), 28: (socket.AF_INET6, 'AAAA')}.get(kind)
    for address in zone.get(name, {}).get(family[1], []) if family else []:
        records.append((coded(name), kind, socket.inet_pton(family[0], address)))
    fits = records[:24]
    flags = 0x8180 if exists else 0x8183
    answer = question[:2] + flags.to_bytes(2, 'big') + b'\0\1' + len(fits).to_bytes(2, 'big') + bytes(4)
    answer += question[12:end + 5]
    for owner, kind, data in fits:
        answer += owner + kind.to_bytes(2, 'big') + b'\0\1\0\0\0\5' + len(data).to_bytes(2, 'big') + data
    return answer

def datagrams(listener):
    while True:
        question, sender = listener.recvfrom(2048)
        note(datagram=53, size=len(question))
        answer = names_of(question) if os.path.exists('zone') else None
        if answer:
            listener.sendto(answer, sender)

def far():
    sys.stdin.readline()
    open('log', 'w').close()
    mute = listen(MUTE, backlog=0)
    for port in PLAIN + SECURE if os.path.exists('far.pem') else PLAIN:
        threading.Thread(target=serve, args=(port, listen(port)), daemon=True).start()
    listener = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    listener.bind(('::', 53))
    threading.Thread(target=datagrams, args=(listener,), daemon=True).start()
    print('ready', flush=True)
    sys.stdin.readline()
    mute.close()

# The near machine

def command(*words, **options):
    return subprocess.run(words, check=True, **options)

def names(text):
    """What this machine knows of names from now on."""
    with open('hosts', 'w') as file:
        file.write(text)

def zone(names):
    """From now on, this machine asks the far machine for names, which says this."""
    with open('zone.new', 'w') as file:
        json.dump(names, file)
    os.rename('zone.new', 'zone')
    with open('nsswitch.conf', 'w') as file:
        file.write('hosts: files dns\n')

def world():
    command('mount', '--make-rprivate', '/')
    command('ip', 'link', 'set', 'lo', 'up')
    if os.path.exists('/usr/bin/openssl'):
        command('openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2',
                '-keyout', 'far.key', '-out', 'far.pem', '-subj', '/CN=far machine', '-addext',
                'subjectAltName=DNS:code.example.org,DNS:*.packages.example,DNS:evil.example',
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    machine = subprocess.Popen(['unshare', '-n', sys.executable, '-u', __file__], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    while os.readlink(f'/proc/{machine.pid}/ns/net') == os.readlink('/proc/self/ns/net'):
        pass
    command('ip', 'link', 'add', 'v0', 'type', 'veth', 'peer', 'name', 'v1', 'netns', str(machine.pid))
    def configure(device, addresses, *prefix):
        for address in addresses:
            size, extra = ('/64', ['nodad']) if ':' in address else ('/24', [])
            command(*prefix, 'ip', 'addr', 'add', address + size, 'dev', device, *extra)
        for name in ['lo', device]:
            command(*prefix, 'ip', 'link', 'set', name, 'up')
    configure('v0', HERE)
    configure('v1', FAR, 'nsenter', '-t', str(machine.pid), '-n')
    machine.stdin.write('go\n')
    machine.stdin.flush()
    assert machine.stdout.readline() == 'ready\n'
    names(NAMES)
    for name, text in [('nsswitch.conf', 'hosts: files\n'), ('resolv.conf', 'nameserver 10.77.0.2\n')]:
        with open(name, 'w') as file:
            file.write(text)
    for name in ['hosts', 'nsswitch.conf', 'resolv.conf']:
        command('mount', '--bind', name, '/etc/' + name)
    return machine

def annex(options, program, **settings):
    """Runs a program in a sandbox, and returns its status, output and errors."""
    words = [ANNEX, 'run'] + options + ['--'] + program
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings)

def python(options, script, *words, **settings):
    inside = ['/usr/bin/python3', '-u', '-c', 'import errno, os, socket, sys\n' + textwrap.dedent(script)] + [str(word) for word in words]
    return annex(options, inside, **settings)

def said(run):
    """What a run said, in one line for people who read the test's failure."""
    print(run.returncode, run.stdout.strip(), run.stderr.strip(), sep=' | ', flush=True)
    return run

def daemon():
    """Starts a daemon for extensions, and returns it when it answers."""
    os.environ['ANNEX_REPORTS'] = os.path.abspath('reports')
    process = subprocess.Popen([ANNEX + 'd', '--socket', 's', '--state', 'state', '--patience', '3000'],
                               stderr=subprocess.DEVNULL)
    while process.poll() is None:
        try:
            socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect('s')
            break
        except OSError:
            pass
    return process

def tool(*words):
    """Runs a command that asks the daemon, and returns its status, output and errors."""
    words = [ANNEX] + list(words) + ['--socket', 's']
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

def connections(host, port):
    """How many connections of this network lead to a place."""
    address = ''.join('%02X' % int(part) for part in reversed(host.split('.')))
    text = ''.join(open(f'/proc/net/{name}').read() for name in ['tcp', 'tcp6'])
    place = f'{address}:{port:04X}'
    lines = [line.split() for line in text.splitlines()]
    return sum(1 for line in lines if line[2].endswith(place) and line[3] == '01')

def hint(run):
    lines = [line for line in run.stderr.splitlines() if line.startswith('annex: hint: ')]
    print(lines[-1] if lines else 'no hint', flush=True)

def proxy(host):
    """A proxy of HTTP on this machine. Returns its port, and the list of the requests that it gets."""
    listener, requests = socket.create_server((host, 0)), []
    def carry(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass
    def one(peer):
        lines, body = head(peer)
        if not lines:
            return peer.close()
        requests.append(lines.decode().split('\r\n')[0])
        method, target, _ = requests[-1].split(' ')
        place = target if method == 'CONNECT' else target.split('/')[2]
        name, _, port = place.partition(':')
        if 'blocked' in target:
            peer.sendall(b'HTTP/1.1 407 Password\r\nContent-Length: 3\r\n\r\nno\n')
            requests.append(peer.recv(99))
            return peer.close()
        far = socket.create_connection((name, int(port or 80)))
        if method == 'CONNECT':
            peer.sendall(b'HTTP/1.1 200 Here it is\r\n\r\n')
        else:
            far.sendall(lines.replace(b'http://' + place.encode(), b'') + b'\r\n\r\n')
        far.sendall(body)
        threading.Thread(target=carry, args=(peer, far), daemon=True).start()
        carry(far, peer)
    def work():
        while True:
            threading.Thread(target=one, args=(listener.accept()[0],), daemon=True).start()
    threading.Thread(target=work, daemon=True).start()
    return listener.getsockname()[1], requests

def reached():
    """What reached the far machine since the last call, as a list."""
    with open('log') as file:
        notes = [json.loads(line) for line in file]
    open('log', 'w').close()
    return notes

if len(sys.argv) < 3:
    far()
else:
    ANNEX = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        os.chdir(folder)
        machine = world()
        try:
            exec(sys.argv[2])
        finally:
            machine.kill()
            for name in ['hosts', 'nsswitch.conf', 'resolv.conf']:
                command('umount', '-l', '/etc/' + name)
