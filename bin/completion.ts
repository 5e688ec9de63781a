import type { Command } from 'commander';
import { addCommand } from './options.js';
import { fail, writeContent } from './print.js';

const shells = ['bash', 'zsh', 'fish'] as const;

/** completion. */
export function addCompletionCommand(program: Command): void {
  const completing = addCommand(program, {
    words: 'completion',
    description:
      'Print a script with which a shell completes commands, subcommands and options, but no names of documents.',
    example:
      'cartulary completion bash > ~/.local/share/bash-completion/completions/cartulary\n  $ cartulary completion zsh > ~/.zfunc/_cartulary\n  $ cartulary completion fish > ~/.config/fish/completions/cartulary.fish',
  }).argument('<shell>', shells.join(', '));
  completing.action(async (shell: string) => {
    const write = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (write !== undefined) return writeContent(write(listChoices(program)));
    const message = `The shell must be one of ${shells.join(', ')}.`;
    return fail({ code: 'USAGE', message }, completing.opts()['json'] === true);
  });
}

/** What can follow the words of a command. */
interface Choices {
  /** The words after `cartulary`, with a blank between them; empty for the program itself. */
  readonly words: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly { readonly flag: string; readonly description: string }[];
}

/** From the program itself down, as its help has them. */
function listChoices(command: Command, words = ''): readonly Choices[] {
  const { commands } = command;
  const choices = {
    words,
    commands: commands.map((each) => ({ name: each.name(), description: firstSentence(each.description()) })),
    options: [
      ...command.options.flatMap(({ short, long, description }) =>
        [short, long].flatMap((flag) => (typeof flag !== 'string' ? [] : [{ flag, description }])),
      ),
      { flag: '--help', description: 'show how it is called' },
    ],
  };
  return [choices, ...commands.flatMap((each) => listChoices(each, `${words} ${each.name()}`.trim()))];
}

const firstSentence = (text: string): string => /^.*?[.:](?= |$)/s.exec(text)?.[0] ?? text;

/** A word for any of the three shells: single quotes, of which none may stand inside. */
const quote = (text: string): string => `'${text.replaceAll("'", '’').replaceAll(/\s+/g, ' ')}'`;

/**
 * The words before the one that is typed, as far as they name a command. An option that stands before it, and what it
 * takes, ends them: options come behind the words of a command.
 */
const scripts: Readonly<Record<string, (choices: readonly Choices[]) => string>> = {
  bash: (choices) => `# bash completion for cartulary, made by \`cartulary completion bash\`.
_cartulary() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words='' index choices
  for ((index = 1; index < COMP_CWORD; index += 1)); do
    case "\${words:+$words }\${COMP_WORDS[index]}" in
      ${choices
        .filter(({ words }) => words !== '')
        .map(({ words }) => quote(words))
        .join(' | ')}) words="\${words:+$words }\${COMP_WORDS[index]}" ;;
      *) break ;;
    esac
  done
  case "$words" in
${choices
  .map(({ words, commands, options }) => {
    const offer = (names: readonly string[]): string => quote(names.join(' '));
    return `    ${quote(words)}) if [[ $current == -* ]]; then choices=${offer(options.map(({ flag }) => flag))}; else choices=${offer(commands.map(({ name }) => name))}; fi ;;`;
  })
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}
# Where nothing fits, files of this machine are offered.
complete -o default -F _cartulary cartulary
`,
  zsh: (choices) => `#compdef cartulary
# zsh completion for cartulary, made by \`cartulary completion zsh\`.
_cartulary() {
  local typed='' index
  local -a commands options
  for ((index = 2; index < CURRENT; index += 1)); do
    case "\${typed:+$typed }\${words[index]}" in
      ${choices
        .filter(({ words }) => words !== '')
        .map(({ words }) => quote(words))
        .join('|')}) typed="\${typed:+$typed }\${words[index]}" ;;
      *) break ;;
    esac
  done
  case "$typed" in
${choices
  .map(({ words, commands, options }) => {
    const describe = (name: string, text: string): string => quote(`${name}:${text.replaceAll(':', String.raw`\:`)}`);
    const offered = commands.map(({ name, description }) => describe(name, description)).join(' ');
    const flags = options.map(({ flag, description }) => describe(flag, description)).join(' ');
    return `    ${quote(words)}) commands=(${offered}) options=(${flags}) ;;`;
  })
  .join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then _describe option options
  elif ((\${#commands})); then _describe command commands
  else _files
  fi
}
if [[ \${funcstack[1]} == _cartulary ]]; then _cartulary "$@"; else compdef _cartulary cartulary; fi
`,
  fish: (choices) => `# fish completion for cartulary, made by \`cartulary completion fish\`.
function __cartulary_words
  set -l words
  for word in (commandline -opc)[2..-1]
    if contains -- (string join ' ' -- $words $word) ${choices
      .filter(({ words }) => words !== '')
      .map(({ words }) => quote(words))
      .join(' ')}
      set -a words $word
    else
      break
    end
  end
  string join ' ' -- $words
end
function __cartulary_at
  test (string join '' -- (__cartulary_words)) = "$argv[1]"
end
${choices
  .flatMap(({ words, commands, options }) => {
    const head = `complete -c cartulary -n ${quote(`__cartulary_at "${words}"`)}`;
    return [
      ...commands.map(({ name, description }) => `${head} -f -a ${name} -d ${quote(description)}`),
      ...options.map(({ flag, description }) => {
        const kind = flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`;
        return `${head} ${kind} -d ${quote(description)}`;
      }),
    ];
  })
  .join('\n')}
`,
};
