// mocha's spec reporter, with the reasons of skipped tests. It ends with one line for tools: "N passed, N failed" and,
// where there are any, ", N skipped". Where bin/test.mjs has started mocha, the counts go to it, and it prints the line
// for all runs together.
const { reporters } = require('mocha');

const noReason = 'no reason given';

/** The reason that `skipBecause` left on the test or on a suite around it. */
function reasonOf(runnable) {
  for (let place = runnable; place; place = place.parent) if (place.skipReason) return place.skipReason;
  return noReason;
}

/** A failed test for bin/test.mjs: its title, the compiled file that holds it, and the error's text. */
function describeFailure(test) {
  let suite = test.parent;
  while (suite && !suite.file && suite.parent) suite = suite.parent;
  const error = test.err?.stack ?? test.err?.message ?? String(test.err);
  return { title: test.fullTitle(), file: test.file ?? suite?.file, error };
}

/** The folder of a compiled test below dist/test, or the file itself where it stands in none. */
const areaOf = (file = '') => (/dist\/test\/([^/.]+)/.exec(file) ?? ['', 'other'])[1];

class Reporter extends reporters.Spec {
  /** Milliseconds of tests and their hooks, by folder. */
  #times = {};

  constructor(runner, options) {
    super(runner, options);
    const count = ({ duration, file, parent, ctx }) => {
      const area = areaOf(file ?? parent?.file ?? ctx?.currentTest?.file);
      this.#times[area] = (this.#times[area] ?? 0) + (duration ?? 0);
    };
    runner.on('test end', count).on('hook end', count);
    runner.on('pending', (test) => {
      const indent = '  '.repeat(test.titlePath().length);
      reporters.Base.consoleLog(`${indent}  skipped: ${reasonOf(test)}`);
    });
  }

  epilogue() {
    super.epilogue();
    const { passes, failures, pending } = this.stats;
    if (process.send !== undefined) {
      process.send({ passes, failures, pending, failed: this.failures.map(describeFailure), times: this.#times });
      return;
    }
    const skipped = pending > 0 ? `, ${pending} skipped` : '';
    reporters.Base.consoleLog(`${passes} passed, ${failures} failed${skipped}`);
  }
}

module.exports = Reporter;
