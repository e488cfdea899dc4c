// The routes of the watchers: their state, start and stop, and their log.
import { type PluginApp, skipSerializer, type Static, Type } from '@playhead/sdk'
import type { AccessInput } from '../config/access.ts'
import type { Watchers } from '../contract.ts'
import { ChangedStatusAnswer, StatusAnswer } from './answers.ts'
import { watchStatus } from './status.ts'

const MAX_LINES = 3_000

const Failure = Type.Object({ ok: Type.Boolean(), error: Type.String(), detail: Type.String() })
const LogQuery = Type.Object({
  tail: Type.Integer({ default: 50, minimum: 1, maximum: MAX_LINES, description: 'Maximum number of lines.' }),
  tag: Type.String({ default: '', maxLength: 100, description: 'One watcher channel.' }),
  tags: Type.String({
    default: '',
    maxLength: 2_000,
    description: 'Watcher channels, separated by commas; * for all.',
  }),
})

/** The dependencies of the scrobbler's routes. */
export interface RouteParts {
  readonly worlds: {
    read(): Promise<AccessInput>
    /** Reads the configuration again after a change; resolves when the watchers use it. */
    refresh(): Promise<AccessInput>
  }
  readonly watchers: Watchers
}

export function registerWatchRoutes(app: PluginApp, { worlds, watchers }: RouteParts): void {
  const { streams, host, log } = app.playhead
  const status = async () => watchStatus((await worlds.read()).settings, watchers.status())

  app.get(
    '/api/watch/status',
    { ...skipSerializer, schema: { summary: 'State of the watchers', response: { 200: StatusAnswer } } },
    status,
  )

  const act = (
    path: string,
    summary: string,
    about: { readonly needsSource: boolean; readonly extra: object },
    work: () => Promise<void>,
  ) =>
    app.post(
      path,
      { ...skipSerializer, schema: { summary, response: { 200: ChangedStatusAnswer, 500: Failure } } },
      async (_request, reply) => {
        const { effective } = await worlds.read()
        try {
          await work()
        } catch (error) {
          log.error({ err: error }, 'the watchers could not be changed')
          return reply.status(500).send({ ok: false, error: 'watcher_failed', detail: 'The watchers did not answer.' })
        }
        const isOff = about.needsSource && !effective.sources.watcher
        return { ...(await status()), ok: true, ...about.extra, ...(isOff ? { reason: 'watcher_disabled' } : {}) }
      },
    )

  act('/api/watch/start', 'Starts the watchers', { needsSource: true, extra: {} }, () => watchers.start())
  act('/api/watch/stop', 'Stops the watchers', { needsSource: false, extra: { stopped: true } }, () => watchers.stop())
  act(
    '/api/watch/refresh',
    'Restarts the watchers with the current routes; current sessions stay',
    { needsSource: true, extra: { reloaded: true } },
    () => watchers.refresh(),
  )

  app.get(
    '/api/watch/logs',
    {
      schema: {
        summary: 'The last lines of the watcher channels, by time',
        querystring: LogQuery,
        response: {
          200: Type.Object({
            tags: Type.Array(Type.String()),
            tail: Type.Integer({ minimum: 1 }),
            lines: Type.Array(Type.String()),
          }),
        },
      },
    },
    (request) => {
      const { tail, tag, tags: several } = request.query as Static<typeof LogQuery>
      const all = host.logChannels().flatMap((channel) => (channel.watcher ? [channel.tag] : []))
      const wanted = new Set(`${tag},${several}`.split(',').map((one) => one.trim().toUpperCase()))
      const named = all.filter((one) => wanted.has(one))
      const chosen = named.length === 0 || wanted.has('*') ? all : named
      const lines = chosen.flatMap((one) => streams.read(`log/${one}`, { tail }))
      // Within a millisecond the lines of a channel keep their order.
      const ordered = lines.sort((a, b) => a.atMs - b.atMs).slice(-tail)
      return { tags: chosen, tail, lines: ordered.map(({ data }) => data) }
    },
  )
}
