// Draws the picture of the floors into the code map, from the imports of lib/ and bin/. A room stands one floor above
// the highest room that it imports. What the picture says of a room is the line "In short: " of its section.
//
// Usage: node bin/draw-floors.mjs [--check] [FOLDER]. With --check it writes nothing, and fails where the picture is not
// what the imports say. FOLDER is a checkout, by default this one.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const isCheck = process.argv.includes('--check');
const [folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')] = process.argv
  .slice(2)
  .filter((argument) => argument !== '--check');
const begin = '<!-- floors: node bin/draw-floors.mjs -->';
const end = '<!-- end -->';
/** Characters of a line. */
const width = 100;

/** Stands outside the house: it runs in other people's programs, and shares nothing with it. */
const outside = 'lib/client/';
/** Run in a browser, and have floors of their own. */
const pages = 'lib/console/web/';

/** `lib/git/tree.ts` → git, `lib/config.ts` → config, `bin/serve.ts` → bin. */
function roomOf(file) {
  const [top, second, ...rest] = file.split('/');
  return top === 'bin' ? 'bin' : rest.length > 0 ? second : second.replace('.ts', '');
}

/** What a file imports of the house, in any form: each specifier is a string of its own line or call. */
function importsOf(file) {
  const text = readFileSync(path.join(folder, file), 'utf8');
  const specifiers = text.matchAll(/(?:^(?:import|export|\})[^'\n]*|\bimport\()'(\.[^'\n]+)'/gm);
  return Array.from(specifiers, ([, specifier]) => path.posix.join(path.posix.dirname(file), specifier));
}

/** The rooms that each room imports. */
function readHouse() {
  const files = ['bin', 'lib']
    .flatMap((top) =>
      readdirSync(path.join(folder, top), { recursive: true, encoding: 'utf8' }).map(
        (name) => `${top}/${name.replaceAll('\\', '/')}`,
      ),
    )
    .filter((file) => file.endsWith('.ts') && !file.startsWith(outside) && !file.startsWith(pages));
  const house = new Map();
  for (const file of files) {
    const room = roomOf(file);
    const below = house.get(room) ?? house.set(room, new Set()).get(room);
    for (const imported of importsOf(file)) {
      if (/^(?:lib|bin)\//.test(imported)) below.add(roomOf(imported.replace(/\.js$/, '.ts')));
    }
    below.delete(room);
  }
  return house;
}

/** The floor of each room, from 0 on. @throws Error for rooms that import each other */
function measureFloors(house) {
  const floors = new Map();
  const floorOf = (room, above) => {
    if (above.includes(room)) throw new Error(`These rooms import each other: ${[...above, room].join(' → ')}.`);
    const known = floors.get(room);
    if (known !== undefined) return known;
    const below = Array.from(house.get(room) ?? [], (each) => floorOf(each, [...above, room]));
    const floor = Math.max(-1, ...below) + 1;
    floors.set(room, floor);
    return floor;
  };
  for (const room of house.keys()) floorOf(room, []);
  return floors;
}

/** What the map says of each room in short. */
function readShort(map) {
  const sections = map.split(/^## /m).slice(1);
  return new Map(sections.map((section) => [section.split('\n', 1)[0], /^In short: (.+)\.$/m.exec(section)?.[1]]));
}

function draw(map) {
  const floors = measureFloors(readHouse());
  const short = readShort(map);
  const longest = Math.max(...Array.from(floors.keys(), (room) => room.length));
  const lines = [];
  for (let floor = Math.max(...floors.values()); floor >= 0; floor -= 1) {
    const rooms = [...floors.keys()].filter((room) => floors.get(room) === floor).toSorted((a, b) => (a < b ? -1 : 1));
    for (const [index, room] of rooms.entries()) {
      const line = `${(index === 0 ? String(floor) : '').padStart(2)}  ${room.padEnd(longest)}  ${short.get(room)}`;
      if (short.get(room) === undefined) throw new Error(`The section "## ${room}" has no line "In short: ….".`);
      if (line.length > width) throw new Error(`"In short" of ${room} is too long: a line has ${width} characters.`);
      lines.push(line);
    }
  }
  return `${begin}\n\n\`\`\`\n${lines.join('\n')}\n\`\`\`\n\n${end}`;
}

const file = path.join(folder, 'lib', 'README.md');
const map = readFileSync(file, 'utf8');
const [start, stop] = [map.indexOf(begin), map.indexOf(end)];
if (start < 0 || stop < start) throw new Error(`lib/README.md has no place for the picture, from ${begin} to ${end}.`);
const drawn = map.slice(0, start) + draw(map) + map.slice(stop + end.length);
if (drawn !== map && isCheck) {
  console.error(
    'lib/README.md: the picture is not what the imports say. Run node bin/draw-floors.mjs to draw it anew.',
  );
  process.exitCode = 1;
} else if (drawn !== map) writeFileSync(file, drawn);
