import assert from 'node:assert/strict';
import { Html, html } from '../../lib/http/html.js';
import { pageHeaders } from '../../lib/signin/pages/render-page.js';
import { icon } from '../../lib/signin/pages/icon.js';
import { samplePages } from './sample-pages.js';

describe('The pages of signing in', () => {
  const hostile = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&amp;`;

  it('escape every value in them, between tags and in attributes', () => {
    for (const [name, text] of Object.entries(samplePages(hostile))) {
      assert.doesNotMatch(text, /<script|<img|onerror='/i, name);
    }
    assert.ok(samplePages(hostile)['sign-in-wrong']?.includes('value="&quot;&gt;&lt;script&gt;'));
  });

  it('have no script, no inline style and no foreign content', () => {
    for (const [name, text] of Object.entries({ ...samplePages(), icon })) {
      assert.doesNotMatch(text, /<script|<style|\sstyle=|\son[a-z]+=|javascript:/i, name);
      assert.doesNotMatch(text, /(?:src|href|action)="(?:https?:)?\/\//i, name);
    }
  });

  it('send every form by POST with its proof', () => {
    for (const [name, text] of Object.entries(samplePages())) {
      const forms = text.split('<form').slice(1);
      for (const form of forms) {
        assert.match(form, /^ method="post" action="\//, name);
        assert.match(form.split('</form>')[0] ?? '', /<input type="hidden" name="csrf" value="proof"/, name);
      }
    }
  });

  it('put the path of a proxy in front of every address of their own', () => {
    const template = html`<a href="${'/base'}/signin">x</a>`;
    assert.ok(template instanceof Html);
    assert.equal(template.text, '<a href="/base/signin">x</a>');
  });

  it('lead forms only where the policy allows, and no value can change the policy', () => {
    const policyOf = (...targets: string[]) => pageHeaders(targets)['Content-Security-Policy'] ?? '';
    assert.match(policyOf(), /form-action 'self';/);
    assert.match(
      policyOf('https://app.example.org:8443', 'cursor:'),
      /form-action 'self' https:\/\/app.example.org:8443 cursor:;/,
    );
    assert.match(policyOf("https://a; script-src 'unsafe-inline'", '*', "'unsafe-inline'"), /form-action 'self';/);
  });

  it('show characters that change the direction of text as escapes', () => {
    assert.equal(html`${'a\u202Eb'}`.text, 'a\uFFFDb');
  });
});
