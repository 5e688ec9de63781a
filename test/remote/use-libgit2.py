"""Uses a remote by libgit2: use-libgit2.py ADDRESS KEY FOLDER STEP… Prints a line of JSON for each step."""

import json
import os
import sys

import pygit2

address, key, folder, *steps = sys.argv[1:]


class Callbacks(pygit2.RemoteCallbacks):
    """Gives the key once, and keeps what the remote says."""

    def __init__(self):
        super().__init__()
        self.asked = 0
        self.said = ""
        self.rejected = None

    def credentials(self, url, username_from_url, allowed_types):
        self.asked += 1
        if self.asked > 1:
            raise pygit2.GitError("the key was refused")
        return pygit2.UserPass("anybody", key)

    def sideband_progress(self, text):
        self.said += text

    def push_update_reference(self, refname, message):
        self.rejected = message


def open_clone():
    return pygit2.Repository(folder)


def files(repository):
    found = {}
    for entry in walk(repository, repository.head.peel().tree, ""):
        found[entry[0]] = entry[1]
    return found


def walk(repository, tree, place):
    for entry in tree:
        if entry.type_str == "tree":
            yield from walk(repository, entry, place + entry.name + "/")
        else:
            yield place + entry.name, entry.data.decode()


def clone(callbacks):
    repository = pygit2.clone_repository(address, folder, callbacks=callbacks)
    return {"head": str(repository.head.target), "files": files(repository)}


def pull(callbacks):
    repository = open_clone()
    repository.remotes["origin"].fetch(callbacks=callbacks)
    target = repository.lookup_reference("refs/remotes/origin/main").target
    merge, _ = repository.merge_analysis(target)
    repository.reset(target, pygit2.GIT_RESET_HARD)
    is_forward = bool(merge & pygit2.GIT_MERGE_ANALYSIS_FASTFORWARD)
    return {"head": str(target), "forward": is_forward, "files": files(repository)}


def push(callbacks, path, content):
    repository = open_clone()
    place = os.path.join(folder, path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "w", encoding="utf8") as file:
        file.write(content)
    repository.index.add(path)
    repository.index.write()
    author = pygit2.Signature("Grace", "grace@example.org")
    parents = [repository.head.target]
    commit = repository.create_commit("HEAD", author, author, "By libgit2", repository.index.write_tree(), parents)
    repository.remotes["origin"].push(["refs/heads/main"], callbacks=callbacks)
    return {"head": str(commit), "rejected": callbacks.rejected}


known = {"clone": clone, "pull": pull, "push": push}
for step in steps:
    name, *arguments = step.split("=")
    callbacks = Callbacks()
    try:
        result = known[name](callbacks, *arguments)
    except (pygit2.GitError, KeyError) as error:
        result = {"error": str(error)}
    print(json.dumps({**result, "said": callbacks.said}), flush=True)
