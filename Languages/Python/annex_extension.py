"""An Annex extension in Python, over the socket transport (Docs/Reference/Wire.md). Python 3.8 or newer, nothing else.

    from annex_extension import Extension, Failure

    extension = Extension()

    @extension.serve(10)
    def shout(request: bytes) -> bytes:
        return request.upper()

    extension.run()
"""

import socket
import struct

VERSION = 2
MAGIC = 0x43584E41
HELLO, REQUEST, REPLY, FAILURE, CANCEL, EVENT, PING, PONG = range(1, 9)
OPEN, DATA, CREDIT, FINISH, RESET = range(9, 14)
GOODBYE = 2  # the event by which a host says that the work is over
UNKNOWN_METHOD = 0xFFFFFFFE
THROWN = 0xFFFFFFFC
TOO_LARGE = 0xFFFFFFFB
REFUSED = 0xFFFFFFF0

_HEADER = struct.Struct("<BBHIQ")  # kind, descriptors, method, length, call
_TERMS = struct.Struct("<QQQ")  # nanoseconds left, most bytes and pieces of sealed memory


class Failure(Exception):
    """Answers a request with a code and a text instead of bytes."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code, self.text = code, text


class Extension:
    def __init__(self, descriptor=3, largest=1 << 18, most=1 << 15):
        """`largest`: bytes of the largest packet that can come; `most`: of the largest payload that may be sent, half of
        the host's ring for it, which a host that has another than the usual one says in its own way."""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=descriptor)
        self._largest, self._most = largest, most
        self._served, self._taken = {}, {}

    def serve(self, method):
        """Decorates a function from a request's bytes to its reply's."""
        return lambda function: self._served.setdefault(method, function)

    def take(self, method):
        """Decorates a function that takes an event's bytes."""
        return lambda function: self._taken.setdefault(method, function)

    def send_event(self, method, payload=b""):
        if len(payload) > self._most:
            raise ValueError(f"an event of {len(payload)} bytes where {self._most} fit")
        self._send(EVENT, method, 0, payload)

    def run(self, features=0):
        """Says hello and serves until the host says goodbye or is gone."""
        self._send(HELLO, 0, 0, struct.pack("<IIQ", MAGIC, VERSION, features & 0xFFFFFFFF))
        while True:
            packet = self._socket.recv(self._largest)
            if not packet:
                return
            kind, _, method, length, call = _HEADER.unpack_from(packet)
            payload = packet[_HEADER.size : _HEADER.size + length]
            if kind == REQUEST:
                self._answer(method, call, payload[_TERMS.size :])
            elif kind == EVENT and method == GOODBYE:
                return
            elif kind == EVENT and method in self._taken:
                self._taken[method](payload)
            elif kind == PING:
                self._send(PONG, method, call, b"")
            elif kind == OPEN:
                self._send(RESET, method, call, struct.pack("<I", REFUSED) + b"no streams here")

    def _answer(self, method, call, request):
        try:
            if method not in self._served:
                raise Failure(UNKNOWN_METHOD, "unknown method")
            reply = self._served[method](request)
            if len(reply) > self._most:
                raise Failure(TOO_LARGE, f"an answer of {len(reply)} bytes where {self._most} fit")
            self._send(REPLY, method, call, reply)
        except Failure as failure:
            self._fail(method, call, failure.code, failure.text)
        except Exception as error:  # a broken function is its caller's failure, not the extension's end
            self._fail(method, call, THROWN, f"{type(error).__name__}: {error}")

    def _fail(self, method, call, code, text):
        self._send(FAILURE, method, call, struct.pack("<I", code) + text.encode()[:512])

    def _send(self, kind, method, call, payload):
        self._socket.sendmsg([_HEADER.pack(kind, 0, method, len(payload), call), payload])
