// `plugin dev`: checks a plugin after each save, and runs its last good version in a service.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { watch } from 'chokidar'
import { type Cli, CliError, type Command } from '../command.ts'
import { CONNECTION_OPTIONS } from '../remote/connect.ts'
import { checkCode, runConformance, runTests } from './dev-checks.ts'
import { openRemote } from './dev-remote.ts'
import { startDevService } from './dev-service.ts'
import { openPluginFolder } from './folder.ts'
import { linkPackages } from './links.ts'
import { isShipped } from './registry-file.ts'
import type { DevService } from './dev-contract.ts'

const SETTLE_MS = 150

const { url, token, 'token-file': tokenFile } = CONNECTION_OPTIONS

export const pluginDev: Command = {
  name: 'plugin dev',
  summary: 'checks a plugin after each save, and runs it in a service of its own or in one that is running',
  usage:
    '<folder> [--data <folder>] [--port <number>] | --url <address> [--token <token> | --token-file <file>] [--replace] [--yes] [--lease <seconds>]',
  words: ['folder'],
  options: {
    ...{ port: { type: 'string' }, url, token, 'token-file': tokenFile },
    ...{ replace: { type: 'boolean' }, yes: { type: 'boolean' }, lease: { type: 'string' } },
  },
  help: `
Starts a service on this machine and prints its address and account, or uses the one of --url. Then, at once and after each save:
  code         it compiles, and TypeScript finds no mistake
  tests        npm test
  live         the service runs this version from now on
  conformance  the checks of "plugin test", for providers, importers and notifiers with a conformance.ts, and for exporters
A version whose code or tests fail is not loaded: the one before stays live. A plugin that takes the place of a shipped one, as a
feature does, has that one switched off in a service of its own.

  --data   a folder that is kept, with its accounts and settings; without it, a new one that is removed at the end
  --port   port of the service; without it, a free one

In a service that is running:
  --url         its address
  --token       an API token with the scope admin, or PLAYHEAD_TOKEN, which other people on the machine cannot see
  --token-file  a file that holds the token, or PLAYHEAD_TOKEN_FILE
  --replace     stand in for a plugin of the same id there, and switch off those that provide the same
  --yes         accept what the plugin asks for without a question
  --lease       seconds after which the service gives up an author it does not hear of; 60
What was there before returns when this ends, when the service does not hear of it any more, and when the service is started again.

Examples:
  npm run playhead -- plugin dev ~/playhead-plugins/my-server
  npm run playhead -- plugin dev ~/playhead-plugins/my-server --url http://127.0.0.1:8787 --token-file token.txt

Ctrl-C ends it.`,
  async run(cli, given) {
    const { words, options } = given
    const { port = '0', lease = '60' } = options
    if (typeof port !== 'string' || !/^\d{1,5}$/.test(port)) throw new CliError('--port is a number.')
    if (typeof lease !== 'string' || !/^\d{1,4}$/.test(lease) || Number(lease) < 2 || Number(lease) > 3_600)
      throw new CliError('--lease is a number of seconds, 2 to 3600.')
    const isRemote = options['url'] !== undefined
    const foreign = (isRemote ? ['port'] : ['token', 'token-file', 'replace', 'yes', 'lease']).find(
      (name) => options[name] !== undefined,
    )
    if (foreign !== undefined)
      throw new CliError(
        `--${foreign} is for ${isRemote ? 'a service of its own, without --url' : 'a service that is running: give its --url'}.`,
      )
    const folder = resolve(cli.workingDirectory, words[0] ?? '')
    const { directory, manifest } = await openPluginFolder(folder)
    if (!isShipped(cli, directory)) await linkPackages(cli.root, directory)
    const own = isRemote || cli.dataIsGiven ? null : await mkdtemp(join(tmpdir(), `playhead-dev-${manifest.id}-`))
    const stopped = Promise.withResolvers<void>()
    const stop = () => stopped.resolve()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
    try {
      if (!isRemote) cli.print(`Starting a service for ${manifest.name} …`)
      await using service = await (isRemote
        ? openRemote(cli, { directory, manifest }, given)
        : startDevService({ ...cli, dataDirectory: own ?? cli.dataDirectory }, { directory, manifest }, port))
      cli.print(service.opened)
      const watching = follow(cli, directory, service)
      const reason = await Promise.race([stopped.promise, service.ended])
      await watching.close()
      if (reason !== undefined) throw new CliError(reason)
      cli.print('Stopping …')
    } finally {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop)
      if (own !== null) await rm(own, { recursive: true, force: true, maxRetries: 10 })
    }
  },
}

/** Runs the checks now and after each save; a save aborts running checks. */
function follow(cli: Cli, directory: string, service: DevService): { close(): Promise<void> } {
  let current = new AbortController()
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const start = (why: string) => {
    current.abort()
    current = new AbortController()
    const { signal } = current
    running = running.then(() => (signal.aborted ? undefined : check(cli, directory, service, why, signal)))
  }
  const changed = new Set<string>()
  const watcher = watch(directory, {
    ignoreInitial: true,
    ignored: (path) => /(^|[/\\])(node_modules|dist|\.[^/\\]+)([/\\]|$)|~$|\.tmp$/.test(relative(directory, path)),
  })
  watcher.on('all', (_event, path) => {
    current.abort()
    changed.add(relative(directory, path))
    clearTimeout(timer)
    timer = setTimeout(() => {
      start(`saved ${[...changed].join(', ')}`)
      changed.clear()
    }, SETTLE_MS)
  })
  watcher.on('error', (error) => cli.print(`Watching ${directory} failed: ${(error as Error).message}`))
  start('first look')
  return {
    async close() {
      clearTimeout(timer)
      current.abort()
      await watcher.close()
      await running
    },
  }
}

async function check(
  cli: Cli,
  directory: string,
  service: DevService,
  why: string,
  signal: AbortSignal,
): Promise<void> {
  cli.print(`\n${new Date().toTimeString().slice(0, 8)}  ${why}`)
  const step = async (name: string, work: () => Promise<string | null>): Promise<boolean> => {
    const startedMs = performance.now()
    try {
      const text = await work()
      if (signal.aborted) return false
      if (text !== null)
        cli.print(`ok    ${name.padEnd(11)}  ${text} (${((performance.now() - startedMs) / 1000).toFixed(1)} s)`)
      return true
    } catch (error) {
      if (signal.aborted) return false
      const [first, ...more] = (error as Error).message.split('\n')
      cli.print(`FAIL  ${name.padEnd(11)}  ${first}`)
      for (const line of more) cli.print(`      ${''.padEnd(11)}  ${line}`)
      return false
    }
  }
  const opened = await openPluginFolder(directory).catch((error: unknown) => error as Error)
  if (opened instanceof Error) return void (await step('manifest', () => Promise.reject(opened)))
  const isGood =
    (await step('code', () => checkCode(cli, opened))) && (await step('tests', () => runTests(cli, opened, signal)))
  const isLive = isGood && !signal.aborted && (await step('live', () => service.publish(opened, signal)))
  if (signal.aborted) return cli.print('      ended before it was done')
  if (!isLive) return cli.print(`      ${''.padEnd(11)}  Not loaded: what was live stays live.`)
  await step('conformance', () => runConformance(cli, opened, signal))
  if (!signal.aborted) cli.print('      Waiting for the next save.')
}
