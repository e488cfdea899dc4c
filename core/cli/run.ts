// Parses the command line, runs the command, and prints its errors.
import { resolve } from 'node:path'
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { isPlayheadError } from '@playhead/sdk'
import { EnvironmentError, readEnvironment } from '../environment.ts'
import { LoadError } from '../host/run/fault.ts'
import { ROOT } from '../installation.ts'
import { authReset } from './auth-reset.ts'
import { CliError, type Arguments, type Cli, type Command, type Terminal } from './command.ts'
import { describeCommand, listCommands } from './help.ts'
import { nearest } from './nearest.ts'
import { directoryBuild } from './directory/build.ts'
import { directoryKey } from './directory/key.ts'
import { pluginAdd } from './plugin/add.ts'
import { pluginCheck } from './plugin/check.ts'
import { pluginDev } from './plugin/dev.ts'
import { pluginLink } from './plugin/link.ts'
import { pluginList } from './plugin/list.ts'
import { pluginNew } from './plugin/new.ts'
import { pluginPack } from './plugin/pack.ts'
import { pluginAccept, pluginDiscard, pluginRollback, pluginUpdate } from './plugin/package.ts'
import { pluginRemove } from './plugin/remove.ts'
import { pluginSubmit } from './plugin/submit.ts'
import { pluginDisable, pluginEnable } from './plugin/switch.ts'
import { pluginTest } from './plugin/test.ts'
import { backup } from './remote/backup.ts'
import { explainApiError } from './remote/connect.ts'
import { exportFile } from './remote/export.ts'
import { importFile } from './remote/import.ts'
import { pairs } from './remote/pairs.ts'
import { run } from './remote/run.ts'
import { status } from './remote/status.ts'
import { repair } from './repair.ts'
import { start } from './start.ts'
import { tokenCommands } from './token.ts'
import { defined } from '@playhead/sdk/host'

const COMMANDS: readonly Command[] = [
  start,
  run,
  status,
  pairs,
  importFile,
  exportFile,
  backup,
  ...tokenCommands,
  pluginNew,
  pluginAdd,
  pluginLink,
  pluginAccept,
  pluginDiscard,
  pluginUpdate,
  pluginRollback,
  pluginRemove,
  pluginEnable,
  pluginDisable,
  pluginList,
  pluginCheck,
  pluginDev,
  pluginTest,
  pluginPack,
  pluginSubmit,
  directoryKey,
  directoryBuild,
  authReset,
  repair,
]
const ALL_OPTIONS: ParseArgsOptionsConfig = {
  ...(Object.assign({}, ...COMMANDS.map(({ options }) => options)) as ParseArgsOptionsConfig),
  data: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
}

export interface CliProcess {
  /** Default: the folder that this file belongs to. */
  readonly root?: string
  readonly variables: Readonly<Record<string, string | undefined>>
  print(line: string): void
  printError(line: string): void
  readonly terminal?: Terminal | undefined
  ask?: Cli['ask']
}

/** @returns the exit code */
export async function runCli(
  args: readonly string[],
  { root = ROOT, variables, print, printError, terminal, ask }: CliProcess,
): Promise<number> {
  let usageCode = 1
  try {
    // Lenient first pass: options may come before, between and after the words.
    const { positionals, values } = parseArgs({
      args: [...args],
      strict: false,
      allowPositionals: true,
      options: ALL_OPTIONS,
    })
    const isHelp = positionals[0] === 'help' || values['help'] === true
    const words = positionals[0] === 'help' ? positionals.slice(1) : positionals
    if (words.length === 0) {
      print(listCommands(COMMANDS))
      return 0
    }
    const command = findCommand(words, isHelp)
    if (typeof command === 'string' || isHelp) {
      print(typeof command === 'string' ? listCommands(COMMANDS, command) : describeCommand(command))
      return 0
    }
    usageCode = command.usageCode ?? 1
    const { given, data } = read(command, args)
    const environment = readEnvironment(
      data === undefined ? variables : { ...variables, PLAYHEAD_DATA_DIR: resolve(workingDirectory(variables), data) },
    )
    const cli: Cli = {
      root,
      dataDirectory: environment.dataDirectory,
      dataIsGiven: data !== undefined,
      workingDirectory: workingDirectory(variables),
      variables,
      print,
      ...defined({ terminal, ask }),
    }
    return (await command.run(cli, given)) ?? 0
  } catch (error) {
    printError(`playhead: ${explainApiError(error) ?? explain(error)}`)
    return isUsage(error) ? usageCode : 1
  }
}

// npm runs scripts in the package's folder and passes the caller's folder in a variable.
function workingDirectory(variables: CliProcess['variables']): string {
  return (variables['npm_lifecycle_event'] === 'playhead' ? variables['INIT_CWD'] : undefined) ?? process.cwd()
}

/** The command, or a group's name for its help. */
function findCommand(words: readonly string[], isHelp: boolean): Command | string {
  const command = COMMANDS.find(({ name }) => words.slice(0, name.split(' ').length).join(' ') === name)
  if (command !== undefined) return command
  const [first = '', second] = words
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length === 0) {
    const firsts = [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] as string)), 'help']
    throw unknown(
      first,
      nearest(first, firsts) ??
        nearest(
          words.slice(0, 2).join(' '),
          COMMANDS.map(({ name }) => name),
        ),
    )
  }
  if (second === undefined && isHelp) return first
  const seconds = group.map(({ name }) => name.slice(first.length + 1))
  if (second === undefined) {
    throw new CliError(`"${first}" needs one of: ${seconds.join(', ')}. See: npm run playhead -- help ${first}`)
  }
  throw unknown(
    `${first} ${second}`,
    nearest(
      `${first} ${second}`,
      group.map(({ name }) => name),
    ),
  )
}

function unknown(given: string, suggestion: string | null): CliError {
  return new CliError(
    `there is no command "${given}".${suggestion === null ? '' : ` Did you mean "${suggestion}"?`} See: npm run playhead -- help`,
  )
}

function read(
  command: Command,
  args: readonly string[],
): { readonly given: Arguments; readonly data: string | undefined } {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    strict: true,
    options: { ...command.options, data: { type: 'string' } },
  })
  const words = positionals.slice(command.name.split(' ').length)
  const wanted = command.words ?? []
  const most = wanted.length + (command.optionalWords ?? []).length
  if (words.length < wanted.length || words.length > most) {
    const missing = wanted
      .slice(words.length)
      .map((word) => `<${word}>`)
      .join(' and ')
    const problem = missing === '' ? `does not know what to do with "${words[most]}"` : `needs ${missing}`
    throw new CliError(
      `"${command.name}" ${problem}. Usage: npm run playhead -- ${command.name} ${command.usage}`.trimEnd(),
    )
  }
  const { data, ...options } = values as Arguments['options'] & { readonly data?: string }
  return { given: { words, options }, data }
}

function isUsage(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return error instanceof CliError || code?.startsWith('ERR_PARSE_ARGS') === true
}

// Usage errors and PlayheadErrors print their message; anything else is a bug and prints its stack.
function explain(error: unknown): string {
  const isExpected =
    error instanceof CliError ||
    error instanceof LoadError ||
    error instanceof EnvironmentError ||
    isPlayheadError(error)
  if (isExpected) return oneLine(error.message)
  const { code, message } = error as NodeJS.ErrnoException
  if (code?.startsWith('ERR_PARSE_ARGS') === true)
    return `${oneLine(message).replace(/\.?$/, '.')} See: npm run playhead -- help`
  if (typeof code === 'string' && typeof (error as NodeJS.ErrnoException).syscall === 'string') return oneLine(message)
  return `internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').trim()
}
