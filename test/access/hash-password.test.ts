import assert from 'node:assert/strict';
import { PasswordHasher } from '../../lib/access/hash-password.js';
import { makeTestRandomness } from '../support/store/service.js';

/** A stored hash of this cost. */
const stored = (ln: number): string => `$scrypt$ln=${ln},r=8,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
const quick = stored(8);

describe('The hash of a password', () => {
  it('says its parameters, which cost 32 MiB unless they are given, and is checked by them', async () => {
    const usual = new PasswordHasher(makeTestRandomness());
    const cheap = new PasswordHasher(makeTestRandomness('cheap'), { ln: 4, r: 8, p: 1 });
    const [strong, weak] = [await usual.hash('four blue heron stairs'), await cheap.hash('four blue heron stairs')];
    assert.match(strong, /^\$scrypt\$ln=15,r=8,p=3\$/);
    assert.match(weak, /^\$scrypt\$ln=4,r=8,p=1\$/);
    for (const hash of [strong, weak]) {
      assert.equal(await cheap.matches('four blue heron stairs', hash), true);
      assert.equal(await usual.matches('four blue heron stair', hash), false);
    }
  });
});

describe('Passwords that wait to be hashed', () => {
  const password = 'four blue heron stairs';
  let hasher: PasswordHasher;
  beforeEach(() => {
    hasher = new PasswordHasher(makeTestRandomness());
  });

  it('of known people go first, however many strangers wait', async () => {
    const done: string[] = [];
    // Long enough that one of two threads cannot do several while the other is put off.
    const slow = stored(13);
    const note = (who: string) => (): void => void done.push(who);
    const strangers = Array.from({ length: 20 }, (_, at) =>
      hasher.matches(password, slow).then(note(`stranger ${at}`)),
    );
    const known = hasher.matches(password, slow, 'known').then(note('known'));
    await Promise.all([...strangers, known]);
    // Two are computed at a time, and two more may have been let go by then.
    assert.ok(done.indexOf('known') < 8, done.join(', '));
  });

  it('are turned away beyond sixty-four, strangers by strangers alone', async () => {
    const begun = Array.from({ length: 66 }, () => hasher.matches(password, quick));
    assert.throws(() => hasher.requireRoom('stranger'), { code: 'UNAVAILABLE', retryAfter: 5 });
    await assert.rejects(hasher.matches(password, quick), { code: 'UNAVAILABLE' });
    hasher.requireRoom('known');
    assert.equal(await hasher.matches(password, quick, 'known'), false);
    await Promise.all(begun);
    hasher.requireRoom('stranger');
  });
});
