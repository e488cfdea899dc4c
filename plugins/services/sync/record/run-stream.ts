// The live stream of runs: named engine events, and the unnamed summary whenever it changes. A client that connects during
// a run receives the run from its beginning.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PluginContext, RunSummary } from '@playhead/sdk'
import type { WireEvent } from '../events.ts'

const TOPIC = 'sync/run'
const SUMMARY_EVERY_MS = 250

export type RunStream = ReturnType<typeof createRunStream>

export function createRunStream({ streams, signal, log }: Pick<PluginContext, 'streams' | 'signal' | 'log'>) {
  let waiting: NodeJS.Timeout | undefined
  let from: number | undefined
  const lastId = () => streams.read(TOPIC, { tail: 1 })[0]?.id
  const send = (summary: object) => streams.publish(TOPIC, { data: JSON.stringify(summary) })
  signal.addEventListener('abort', () => clearTimeout(waiting), { once: true })

  /** Sends the summary at once. */
  function flush(summary: RunSummary): void {
    clearTimeout(waiting)
    waiting = undefined
    send(summary)
  }

  return {
    /** A run starts: clients that connect later receive its events from here. */
    begin(summary: RunSummary) {
      send(summary)
      from = (lastId() ?? 1) - 1
    },
    event: (event: WireEvent) => streams.publish(TOPIC, { event: event.event, data: JSON.stringify(event) }),
    /** The summary changed; it is sent soon, and at most four times a second. */
    changed(summary: () => RunSummary) {
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
    async open(request: FastifyRequest, reply: FastifyReply, summary: () => Promise<object>): Promise<FastifyReply> {
      // No run since the start of the service, so send the last run's summary first.
      if (lastId() === undefined) send(await summary())
      const since = from ?? (lastId() ?? 1) - 1
      return streams.open(request, reply, since > 0 ? { topics: [TOPIC], since } : { topics: [TOPIC] })
    },
  }
}
