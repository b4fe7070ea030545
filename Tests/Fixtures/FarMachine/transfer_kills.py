"""Kills agents, daemons and extensions at random moments of transfers, and examines what is left: for scripts that have
executed transfers.py. All moments follow from a seed, apart from what the kernel decides."""
import collections, random

SIZE, PAUSE, KILLS_OF_WAVE = 2_000_000, 30, 8

class Kills:
    def __init__(self, count, seed):
        self.left, self.random, self.tally = count, random.Random(seed), collections.Counter()
        self.server, self.url = start_server()
        self.daemon = start_daemon()
        install()

    def run(self):
        while self.left > 0:
            self.wave()
        stop(self.daemon)
        assert self.daemon.returncode == 0, 'the daemon ended with an error'
        wait_for(lambda: set(family()) <= {machine.pid, self.server.pid})
        stop(self.server, signal.SIGKILL)
        return dict(self.tally)

    # A wave: some transfers, kills in their course, and an examination after their end.

    def wave(self):
        self.begun, self.marks, self.noted = {}, [], []
        self.tally['waves'] += 1
        os.truncate('daemon.log', 0)
        for part in 'ab':
            self.begin(f'{self.tally["waves"]}{part}', self.left > 0 and self.random.random() < 0.5)
        if not self.begun:
            self.begin(f'{self.tally["waves"]}c', False)
        for _ in range(KILLS_OF_WAVE):
            if self.left <= 0 or not self.kill_in_course():
                break
        self.settle()
        self.examine()

    def begin(self, mark, must_kill):
        """Lets the extension begin three transfers, and perhaps kills it or the daemon meanwhile."""
        self.marks.append(mark)
        words = ['transfers', GROUP, self.url, f'?pause={PAUSE}', SIZE, mark]
        request = subprocess.Popen([ANNEX, 'request', ID, '--socket', 's', '--text', ' '.join(map(str, words))],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if must_kill:
            time.sleep(self.random.uniform(0, 0.6))
            if not self.kill('extension', extensions()):
                self.kill_daemon()
        answer, errors = request.communicate()
        answer = answer.split()
        if answer[:1] == ['begun']:
            self.begun.update({int(number): mark for number in answer[1:]})
        else:
            self.tally['requests without an answer'] += 1
            assert must_kill or answer[:1] == ['busy:'], f'{mark}: {answer} {errors}'

    def kill_in_course(self):
        """Kills the agent or the daemon at a random moment. Returns whether a task went on before."""
        if all(task['state'] == 'ended' for task in self.tasks()):
            return False
        waits = self.random.random() < 0.7
        until = time.monotonic() + 1.5
        if waits:
            wait_for(lambda: agents() or time.monotonic() > until)
        time.sleep(self.random.uniform(0, 0.4))
        if self.random.random() < 0.4 or not self.kill('agent', agents()):
            self.kill_daemon()
        return True

    def kill(self, kind, processes):
        for process in processes[:1]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
            self.count(kind)
            return True
        return False

    def kill_daemon(self):
        stop(self.daemon, signal.SIGKILL)
        self.count('daemon')
        self.daemon = start_daemon()

    def count(self, kind):
        self.left -= 1
        self.tally[kind] += 1

    # The end of a wave

    def tasks(self):
        found = transfers()
        assert found is not None, 'the daemon does not answer'
        return found

    def wakes(self):
        with open('daemon.log') as log:
            return log.read().count('an app was started, because its background transfers have ended')

    def settle(self):
        """Waits until the app has taken note of all outcomes."""
        while tasks := self.tasks():
            # The app was killed with the daemon as often as a daemon starts it.
            if self.wakes() >= 3 and all(task['state'] == 'ended' for task in tasks) and not apps():
                self.noted += [line for line in ask('notes', GROUP).splitlines() if line[:1].isdigit()]
                self.tally['noted by the extension'] += 1
        wait_for(lambda: not (apps() or agents() or extensions()))
        handled = len(lines('starts')) + 1
        assert self.wakes() <= 3 * handled, f'{self.wakes()} starts of the app, {handled} reached it'
        self.tally['starts of the app'] += self.wakes()

    def examine(self):
        outcomes = collections.defaultdict(set)
        for line in lines('outcomes') + self.noted:
            outcomes[int(line.split()[0])].add(line)
        for number, found in outcomes.items():
            assert len(found) == 1, f'task {number} has several outcomes: {found}'
            words = found.pop().split()
            assert words[1] in ['200', '206'] and words[2] == '-', f'task {number}: {words}'
        assert set(self.begun) <= set(outcomes), f'no outcome: {set(self.begun) - set(outcomes)}'
        self.tally['tasks'] += len(outcomes)
        self.examine_uploads()
        self.examine_files()
        requests = notes('requests')
        self.tally['resumed downloads'] += sum('range:' in ' '.join(one['lines']).lower() for one in requests)
        for path in ['server/requests', 'server/kept'] + [group_folder('container') + '/' + name for name in self.names()]:
            os.path.exists(path) and os.remove(path)

    def examine_uploads(self):
        """Every upload has arrived whole at least once. After a lost answer, it was sent again."""
        kept = collections.Counter()
        for upload in notes('kept'):
            sizes = [part['size'] for part in upload['parts'] if part['isFile']]
            assert SIZE in sizes, f'an upload was changed: {upload}'
            kept[upload['target'].split('?')[0]] += 1
        for mark in set(self.begun.values()):
            for kind in ['put', 'form']:
                assert kept[f'/{kind}/{mark}'] >= 1, f'{kind} of {mark} did not arrive'
        self.tally['whole uploads'] += sum(kept.values())
        self.tally['uploads sent again'] += sum(kept.values()) - len(kept)

    def names(self):
        return os.listdir(group_folder('container'))

    def examine_files(self):
        own = {'outcomes', 'starts'}
        begun = set(self.begun.values())
        for name in set(self.names()) - own:
            kind, mark = name.split('-')
            assert mark in self.marks and kind in ['put', 'form', 'got'], f'{name} is in the container'
            # The daemon has taken the files of tasks. Without an answer, the extension may have got no task.
            assert kind == 'got' or mark not in begun, f'{name} is still in the container'
            assert kind != 'got' or is_right(name, SIZE), f'{name} has wrong bytes'
        for mark in begun:
            assert f'got-{mark}' in self.names(), f'got-{mark} is missing'
        assert not staged(), f'staged: {staged()}'

def print_kills(count, seed):
    """Prints what was killed, and what it did, as one line of JSON."""
    adopt_orphans()
    try:
        print(json.dumps(Kills(count, seed).run()))
    finally:
        for process in set(family()) - {machine.pid}:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
