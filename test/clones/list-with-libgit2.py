"""Clones with libgit2 and prints what the clone holds, as JSON. Arguments: address, key, folder."""

import json
import sys

import pygit2

url, key, folder = sys.argv[1:]
callbacks = pygit2.RemoteCallbacks(credentials=pygit2.UserPass("anybody", key))
try:
    repository = pygit2.clone_repository(url, folder, bare=True, callbacks=callbacks)
except (pygit2.GitError, KeyError, ValueError) as error:
    print(json.dumps({"refused": str(error)}))
    sys.exit(0)

objects = set()
blobs = set()
files = {}


def visit(tree, path, into):
    objects.add(str(tree.id))
    for entry in tree:
        place = path + entry.name
        if isinstance(entry, pygit2.Tree):
            visit(entry, place + "/", into)
        else:
            objects.add(str(entry.id))
            blobs.add(str(entry.id))
            into[place] = entry.data.decode()


head = None
if not repository.head_is_unborn:
    head = str(repository.head.target)
    visit(repository[head].tree, "", files)
    for commit in repository.walk(head):
        objects.add(str(commit.id))
        visit(commit.tree, "", {})
print(json.dumps({"head": head, "files": files, "objects": sorted(objects), "blobs": sorted(blobs)}))
