// The live stream of runs: named engine events, and the unnamed summary whenever it changes. A client that connects during
// a run receives the run from its beginning.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PluginContext, RunSummary } from '@playhead/sdk'
import type { WireEvent } from '../events.ts'

const TOPIC = 'sync/run'
const SUMMARY_EVERY_MS = 250

export interface RunStream {
  /** A run starts: clients that connect later receive its events from here. */
  begin(summary: RunSummary): void
  event(event: WireEvent): void
  /** The summary changed; it is sent soon, and at most four times a second. */
  changed(summary: () => RunSummary): void
  /** Sends the summary at once. */
  flush(summary: RunSummary): void
  open(
    request: FastifyRequest,
    reply: FastifyReply,
    summary: () => Promise<RunSummary | Record<string, unknown>>,
  ): Promise<FastifyReply>
}

export function createRunStream({
  streams,
  signal,
  log,
}: Pick<PluginContext, 'streams' | 'signal' | 'log'>): RunStream {
  let waiting: NodeJS.Timeout | undefined
  let from: number | undefined
  const lastId = () => streams.read(TOPIC, { tail: 1 })[0]?.id
  const send = (summary: object) => streams.publish(TOPIC, { data: JSON.stringify(summary) })
  signal.addEventListener('abort', () => clearTimeout(waiting), { once: true })

  function flush(summary: RunSummary): void {
    clearTimeout(waiting)
    waiting = undefined
    send(summary)
  }

  return {
    begin(summary) {
      send(summary)
      from = (lastId() ?? 1) - 1
    },
    event: (event) => streams.publish(TOPIC, { event: event.event, data: JSON.stringify(event) }),
    changed(summary) {
      waiting ??= setTimeout(() => {
        try {
          flush(summary())
        } catch (error) {
          // The next change sends the summary again.
          log.warn({ err: error }, 'the summary of a run could not be sent')
        }
      }, SUMMARY_EVERY_MS)
    },
    flush,
    async open(request, reply, summary) {
      // No run since the start of the service, so send the last run's summary first.
      if (lastId() === undefined) send(await summary())
      const since = from ?? (lastId() ?? 1) - 1
      return streams.open(request, reply, since > 0 ? { topics: [TOPIC], since } : { topics: [TOPIC] })
    },
  }
}
