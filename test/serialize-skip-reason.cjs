// Loaded by mocha in each process that runs tests. Mocha sends a test to the reporting process without foreign fields.
// This adds the reason for which `skipBecause` (test/support/skip.ts) skipped it.
const { Test } = require('mocha');

/** The reason that `skipBecause` left on the test or on a suite around it. */
function findReason(runnable) {
  for (let place = runnable; place; place = place.parent) if (place.skipReason) return place.skipReason;
  return undefined;
}

const { serialize } = Test.prototype;
Test.prototype.serialize = function () {
  return { ...serialize.call(this), skipReason: findReason(this) };
};
