// Review of npm plugins on the command line: lists what a version asks for, and asks for confirmation.
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeAsks, NO_FENCE } from '../../packages/asks.ts'
import { createNpmRegistry, readNpmSettings } from '../../packages/npm-registry.ts'
import { createPackages, type Packages, type Review, type StageResult } from '../../packages/packages.ts'
import { CliError, type Arguments, type Cli } from '../command.ts'
import { placesOf } from './registry-file.ts'

const START_WAIT_MS = 30_000
const POLL_MS = 100

export function openPackages(cli: Cli): Packages {
  const { bundled, user, packages } = placesOf(cli)
  return createPackages({
    files: { bundledRegistry: bundled, userRegistry: user, packages },
    npm: async () => createNpmRegistry({ settings: await readNpmSettings(cli.dataDirectory, cli.variables) }),
    nowMs: () => Date.now(),
  })
}

/** Lists what the staged version asks for, asks for confirmation, and makes it live. */
export async function settle(
  cli: Cli,
  packages: Packages,
  result: StageResult,
  options: Arguments['options'],
): Promise<void> {
  if (result.state === 'newest') return cli.print(`${result.id} ${result.version} is installed already.`)
  const { review } = result
  show(cli, review)
  if (result.state === 'review' && options['yes'] !== true) {
    const answer = await cli.ask?.(`Accept this and enable ${review.id} ${review.version}? [y/N] `)
    if (answer === undefined)
      return cli.print(
        `${review.id} ${review.version} waits for a review and is not enabled. Accept it with: npm run playhead -- plugin accept ${review.id}`,
      )
    if (!/^y(es)?$/i.test(answer.trim())) {
      await packages.discard(review.id)
      throw new CliError(
        `${review.id} ${review.version} was not accepted, so ${review.from === null ? 'nothing was installed' : `${review.from} stays`}.`,
      )
    }
  }
  await accept(cli, packages, review)
}

function show(cli: Cli, { id, package: name, version, from, asks, notes }: Review): void {
  const all = asks.map(({ ask }) => ask)
  const added = asks.filter(({ isNew }) => isNew).map(({ ask }) => ask)
  if (from === null) {
    cli.print(`${id} ${version} from the package ${name} asks for this:`)
    for (const line of describeAsks(all)) cli.print(`  ${line}`)
  } else if (added.length === 0) cli.print(`${id} ${version} asks for nothing that ${from} does not ask for.`)
  else {
    cli.print(`${id} ${version} asks for more than ${from}:`)
    const hosts = added.some((ask) => ask.startsWith('host '))
    for (const line of describeAsks(added).slice(hosts ? 0 : 1)) cli.print(`  ${line}`)
  }
  for (const note of notes) cli.print(`  note: ${note}`)
  cli.print(`  ${NO_FENCE}`)
}

async function accept(cli: Cli, packages: Packages, { id, version, from }: Review): Promise<void> {
  await packages.accept(id, version)
  if (!(await isServiceRunning(cli.dataDirectory)))
    return cli.print(
      from === null
        ? `Added ${id} ${version}. It is loaded at the next start.`
        : `${id} is ${version} at the next start; if it does not start, ${from} takes its place.`,
    )
  if (from === null) return cli.print(`Added ${id} ${version}. The running Playhead loads it within a moment.`)
  const until = Date.now() + START_WAIT_MS
  while (Date.now() < until) {
    const found = (await packages.list()).find((known) => known.id === id)
    if (found === undefined) return
    if (found.version !== version)
      throw new CliError(
        `${id} ${version} did not start, so ${found.version} is live again: ${found.rolledBack?.reason}`,
      )
    if (found.trial !== 'starting') return cli.print(`${id} ${version} is live.`)
    await sleep(POLL_MS)
  }
  cli.print(`${id} is ${version}. The running Playhead has not loaded it yet.`)
}

/** Checked by the lock's holder file, because another process cannot test the lock. */
async function isServiceRunning(dataDirectory: string): Promise<boolean> {
  try {
    const holder = JSON.parse(await readFile(join(dataDirectory, 'run', 'holder.json'), 'utf8')) as {
      pid: number
      host: string
      state?: string
    }
    if (holder.state === 'ended') return false
    if (holder.host !== hostname()) return true
    process.kill(holder.pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
