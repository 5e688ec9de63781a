import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeBehind } from './behind-proxy.js';

/** The package's site, with this test's ports, name and certificate; nginx writes all its files to a folder. */
function writeConfiguration(folder: string, outside: number, inside: number): string {
  const server = readFileSync('lib/operating/nginx.conf', 'utf8')
    .replace('listen 443 ssl', `listen 127.0.0.1:${outside} ssl`)
    .replaceAll('/etc/ssl/files.example.org/', `${folder}/`)
    .replaceAll('files.example.org', 'files.localhost')
    .replace('127.0.0.1:8080', `127.0.0.1:${inside}`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const file = join(folder, 'nginx.conf');
  const lines = [
    'daemon off; master_process off; worker_processes 1;',
    `pid ${folder}/nginx.pid; error_log ${folder}/error.log;`,
    `events {} http { access_log off; ${temporary.join(' ')}`,
    server,
    '}',
  ];
  writeFileSync(file, lines.join('\n'));
  return file;
}

describeBehind({
  name: 'nginx',
  askRelease: ['-v'],
  configure: (folder, outside, inside) => ['-c', writeConfiguration(folder, outside, inside), '-p', folder],
});
