"""The extension that the conformance tests know, in Python."""

from annex_extension import Extension, Failure

extension = Extension()


@extension.serve(1)
def echo(request):
    return request


@extension.serve(2)
def refuse(request):
    raise Failure(7, "no")


@extension.serve(6)
def too_much(request):
    return bytes(40_000)


@extension.take(4)
def repeat(event):
    extension.send_event(5, event)


extension.run(features=9)
