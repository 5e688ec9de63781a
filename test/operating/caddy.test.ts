import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeBehind } from './behind-proxy.js';

/** The package's site, with this test's ports and certificate, since no public authority can certify this machine. */
function writeConfiguration(folder: string, outside: number, inside: number): string {
  const site = readFileSync('lib/operating/Caddyfile', 'utf8')
    .replace(
      'files.example.org {',
      `https://localhost:${outside} {\n  tls ${folder}/fullchain.pem ${folder}/privkey.pem`,
    )
    .replace('127.0.0.1:8080', `127.0.0.1:${inside}`);
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, `{\n  admin off\n  auto_https disable_redirects\n  storage file_system ${folder}\n}\n${site}`);
  return file;
}

describeBehind({
  name: 'caddy',
  askRelease: ['version'],
  configure: (folder, outside, inside) => [
    'run',
    '--adapter',
    'caddyfile',
    '--config',
    writeConfiguration(folder, outside, inside),
  ],
});
