// Contents of the bundle. Parts are read one by one; a part whose plugin is off contains a note.
import {
  EVENT_ARCHIVE,
  type Accounts,
  type HostFacts,
  type Inspection,
  type PluginContext,
  ACCOUNTS,
  SYNC,
} from '@playhead/sdk'
import type { Part } from './bundle.ts'

const RUNS = 50
const LINES = 1_000

export function partsOf(ctx: PluginContext): readonly Part[] {
  const { host, streams } = ctx
  const plugins = () => ctx.inspect().plugins().map(withoutFolder)
  const sync = ctx.use(SYNC)
  return [
    { path: 'about.json', gather: () => aboutService(ctx) },
    { path: 'health.json', gather: () => host.health() },
    { path: 'plugins.json', gather: () => plugins() },
    { path: 'settings.json', gather: () => ctx.inspect().settings() },
    { path: 'jobs.json', gather: () => plugins().flatMap(jobsOf) },
    {
      path: 'pairs.json',
      gather: async () => ({ pairs: await sync.pairs(), open: await sync.openCounts(), running: await sync.active() }),
    },
    { path: 'runs.json', gather: () => sync.reports(RUNS) },
    { path: 'accounts.json', gather: async () => (await ctx.use(ACCOUNTS).list()).map(accountFacts) },
    { path: 'upstream.json', gather: () => host.upstream().map(withoutPath) },
    { path: 'events.json', gather: () => ctx.use(EVENT_ARCHIVE).facts() },
    ...host
      .logChannels()
      .map(
        ({ tag }): Part => ({
          path: `logs/${tag}.log`,
          gather: () => streams.read(`log/${tag}`, { tail: LINES }).map(({ data }) => data),
        }),
      ),
  ]
}

function aboutService({ host, inspect }: PluginContext): Readonly<Record<string, unknown>> {
  const now = Date.now()
  return {
    made_at: new Date(now).toISOString(),
    playhead: host.version,
    ...inspect().runtime(),
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    started_at: new Date(host.startedAtMs).toISOString(),
    uptime_seconds: Math.floor((now - host.startedAtMs) / 1_000),
    debug: host.debug(),
    process: host.process(),
  }
}

/** The folder may contain the name of a user. */
function withoutFolder({ directory: _directory, ...plugin }: ReturnType<Inspection['plugins']>[number]) {
  return plugin
}

/** The path may contain names. */
function withoutPath({ lastCall: _lastCall, ...stats }: ReturnType<HostFacts['upstream']>[number]) {
  return stats
}

function jobsOf({ id, jobs }: Readonly<Record<string, unknown>>): readonly object[] {
  return Array.isArray(jobs) ? jobs.map((job: object) => ({ plugin: id, ...job })) : []
}

function accountFacts({
  provider,
  instance,
  configured,
  reasonCode,
  credentialEndsAtMs,
}: Awaited<ReturnType<Accounts['list']>>[number]) {
  return {
    provider,
    instance,
    configured,
    reason_code: reasonCode ?? null,
    credential_ends_at: credentialEndsAtMs ?? null,
  }
}
