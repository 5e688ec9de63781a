import assert from 'node:assert/strict';
import { foldSignInName } from '../../lib/access/identities.js';
import { goodPassword, openSignIn, type SignInTest } from '../support/signin/open-sign-in.js';

describe('Names and passwords as they are typed', function () {
  let test: SignInTest;

  beforeEach(async () => {
    test = await openSignIn();
  });
  afterEach(() => test.close());

  it('are counted as one name, however much is typed behind it or however it is composed', async () => {
    await test.person('Ada', 'ada@example.org');
    await test.person('Jan', '\u01F0an');
    const padded = ['\t', ' ', ' \t', '\t\t', '  ', ' \t '].map(
      (space, index) => `ada@example.org${space}${' '.repeat(300 + index)}x`,
    );
    assert.equal(await guess(padded), 5);
    test.server.host.clock.advance(24 * 60 * 60_000 + 60_000);
    const composed = ['J\u030Can', 'j\u030Can', '\u01F0an', 'J\u030CAN', '\u01F0AN', 'j\u030CAn'];
    assert.equal(await guess(composed), 5);
    await test.person('Other', 'J\u030Cother');
    const visitor = test.visitor();
    await visitor.signIn('j\u030COTHER');
    assert.ok(await visitor.isSignedIn(), 'and open for who has it');
  });

  for (const [displayName, signInName] of [
    ['हिन्दी नाम', 'हिन्दी.नाम'],
    ['ชื่อ', 'ชื่อ'],
    ['நிலா', 'நிலா'],
    ['ক্‌ষমা', 'ক্ষমা'],
    ['Ada  Lovelace!', 'ada.lovelace'],
    ['\u0301', 'person'],
  ] as const) {
    it(`are invented from a display name with all of its letters: ${displayName}`, async () => {
      const id = await test.server.host.principal(displayName);
      const path = await test.link(id);
      await test.choosePassword(path);
      const { people } = test.server.host.service;
      assert.equal(people.identities.findOf('acme', id)?.signInName, foldSignInName(signInName));
      const visitor = test.visitor();
      await visitor.signIn(signInName);
      assert.ok(await visitor.isSignedIn(), 'and can be typed');
    });
  }

  it('are compared in a form that a second comparison does not change', () => {
    const marks = ['', '\u0301', '\u0307', '\u030C', '\u0345', '\u0328', ' ', '\u03A3', 'x'];
    for (let code = 0; code < 0x2_ff00; code += 1) {
      if (code >= 0xd800 && code < 0xe000) continue;
      for (const mark of marks) {
        const folded = foldSignInName(String.fromCodePoint(code) + mark);
        if (foldSignInName(folded) !== folded) assert.fail(`U+${code.toString(16)} with "${mark}"`);
      }
    }
    for (const tail of [' x', '\u0301x', 'Σx', '\uFDFA']) {
      for (let length = 230; length < 260; length += 1) {
        const folded = foldSignInName('a'.repeat(length) + tail.repeat(3));
        assert.equal(foldSignInName(folded), folded);
      }
    }
  });

  it('are never normalized at a length that would delay others', async () => {
    const path = await test.link(await test.person('Ada', 'ada'));
    const texts = Object.getPrototypeOf('') as object;
    const normalize = Object.getOwnPropertyDescriptor(texts, 'normalize') as PropertyDescriptor;
    const own = normalize.value as (form?: string) => string;
    let longest = 0;
    Object.defineProperty(texts, 'normalize', {
      ...normalize,
      value(this: string, form?: string): string {
        longest = Math.max(longest, this.length);
        return own.call(this, form);
      },
    });
    try {
      const marks = '\u0301\u0323'.repeat(1000);
      const visitor = test.visitor();
      assert.equal((await visitor.signIn(`a${marks}`, 'wrong')).status, 422);
      assert.equal((await visitor.signIn('ada', `a${marks}`)).status, 422);
      await visitor.get(path);
      const link = path.split('/').pop() ?? '';
      const sent = { link, password: `a${marks}`, again: `a${marks}` };
      assert.equal((await visitor.post('/signin/link', sent)).status, 422);
    } finally {
      Object.defineProperty(texts, 'normalize', normalize);
    }
    assert.ok(longest > 0 && longest <= 1024, String(longest));
  });

  it('that begin like the right password and go on beyond the longest one are wrong', async () => {
    const password = `${goodPassword} `.repeat(60).slice(0, 1024);
    await test.person('Ada', 'ada', password);
    const visitor = test.visitor();
    assert.equal((await visitor.signIn('ada', `${password}x`)).status, 422);
    await visitor.signIn('ada', password);
    assert.ok(await visitor.isSignedIn());
  });

  /** Guesses until a guess has to wait. @returns the number of checked guesses */
  async function guess(names: readonly string[]): Promise<number> {
    for (const [index, name] of names.entries()) {
      if ((await test.visitor().signIn(name, 'wrong')).status === 429) return index;
    }
    return names.length;
  }
});
