// Log channels: the last lines as text, one channel live, and the watcher channels live together.
import { defined, type OpenStreamOptions, type PluginApp, type Static, Type } from '@playhead/sdk'

const MAX_LINES = 3_000
const DEFAULT_CHANNEL = 'TRACKA'
const DEFAULT_TAG = 'SYNC'

const Lines = (options: object) => Type.Integer({ minimum: 1, maximum: MAX_LINES, ...options })
const Channel = (options: object) => Type.String({ pattern: '^\\s*[A-Za-z0-9_-]{0,40}\\s*$', ...options })
const Plain = Type.Boolean({
  default: false,
  description: 'Lines as they are; otherwise they are escaped for use inside HTML.',
})
const MaxBacklog = Type.Optional(Lines({ description: 'Start with at most this many lines.' }))

const DumpQuery = Type.Object({ channel: Channel({ default: DEFAULT_CHANNEL }), n: Lines({ default: 50 }) })
const StreamQuery = Type.Object({
  tag: Channel({ default: DEFAULT_TAG }),
  tail: Type.Optional(Lines({ description: 'Start with this many lines; default: all available.' })),
  since: Type.Optional(Type.Integer({ minimum: 1, description: 'Start after the line with this id.' })),
  plain: Plain,
  max_backlog: MaxBacklog,
})
const WatcherQuery = Type.Object({
  tail: Lines({ default: 200, description: 'Start with this many lines per channel.' }),
  tags: Type.String({
    default: '',
    maxLength: 2_000,
    description: 'Watcher channels, separated by commas. Default: all.',
  }),
  plain: Plain,
  max_backlog: MaxBacklog,
  skip_backlog: Type.Boolean({ default: false, description: 'Start with new lines only.' }),
})
const EventStream = {
  description: 'Server-sent events, one line of the log each; `ping` when nothing happens.',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
}

export function registerLogRoutes(app: PluginApp): void {
  const { streams, host } = app.playhead

  app.get(
    '/api/logs/dump',
    {
      schema: {
        summary: 'The last lines of a log channel',
        querystring: DumpQuery,
        response: { 200: Type.Object({ channel: Type.String(), lines: Type.Array(Type.String()) }) },
      },
    },
    (request) => {
      const { channel, n } = request.query as Static<typeof DumpQuery>
      const tag = toTag(channel)
      return { channel: tag, lines: streams.read(`log/${tag}`, { tail: n }).map(({ data }) => data) }
    },
  )

  app.get(
    '/api/logs/stream',
    { schema: { summary: 'One log channel, live', querystring: StreamQuery, response: { 200: EventStream } } },
    (request, reply) => {
      const { tag, tail, since, plain, max_backlog } = request.query as Static<typeof StreamQuery>
      return streams.open(
        request,
        reply,
        forBrowser({ topics: [`log/${toTag(tag)}`], ...limitTail(tail, max_backlog), ...defined({ since }) }, plain),
      )
    },
  )

  app.get(
    '/api/logs/watcher',
    {
      schema: {
        summary: 'The log channels of the watcher, live; each event is named after its channel',
        querystring: WatcherQuery,
        response: { 200: EventStream },
      },
    },
    (request, reply) => {
      const { tail, tags, plain, max_backlog, skip_backlog } = request.query as Static<typeof WatcherQuery>
      const all = host
        .logChannels()
        .filter(({ watcher }) => watcher)
        .map(({ tag }) => tag)
      const wanted = new Set(tags.split(',').map(toTag))
      const chosen = all.filter((tag) => wanted.has(tag))
      return streams.open(
        request,
        reply,
        forBrowser(
          {
            topics: (chosen.length === 0 ? all : chosen).map((tag) => `log/${tag}`),
            nameByTopic: true,
            ...(skip_backlog ? { tail: 0 } : limitTail(tail, max_backlog)),
          },
          plain,
        ),
      )
    },
  )
}

function toTag(text: string): string {
  return text.trim().toUpperCase() || DEFAULT_TAG
}

function limitTail(tail: number | undefined, maxBacklog: number | undefined): { tail?: number } {
  const limit = Math.min(tail ?? MAX_LINES, maxBacklog ?? MAX_LINES)
  return limit < MAX_LINES ? { tail: limit } : {}
}

// Lines contain titles and names from outside, and older clients insert them into a page without escaping.
function forBrowser(options: OpenStreamOptions, plain: boolean): OpenStreamOptions & { readonly html: boolean } {
  return { ...options, html: !plain }
}
