// Live streams, in memory. A stream that a test opens gives what is kept and ends, so that the answer can be looked at.
import type { OpenStreamOptions, StreamMessage, Streams } from '../context.ts'
import { PlayheadError } from '../errors.ts'

const KEPT = 3_000

export function createStreams({
  now,
  mayPublish,
}: {
  readonly now: () => number
  readonly mayPublish: (topic: string) => boolean
}): Streams {
  const rings = new Map<string, StreamMessage[]>()
  let lastId = 0

  const read: Streams['read'] = (topic, { tail = KEPT, since = 0 } = {}) => {
    const messages = (rings.get(topic) ?? []).filter(({ id }) => id > since)
    return tail === 0 ? [] : messages.slice(-tail)
  }

  return {
    publish(topic, message) {
      if (!mayPublish(topic)) {
        throw new PlayheadError(
          'PLH_PLUGIN_UNDECLARED',
          `The stream "${topic}" is not this plugin's: its topics begin with its id and a slash, or are declared log channels.`,
        )
      }
      const ring = rings.get(topic) ?? []
      lastId += 1
      ring.push({ ...message, id: lastId, atMs: now() })
      if (ring.length > KEPT) ring.shift()
      rings.set(topic, ring)
    },
    read,
    topics: (prefix) => [...rings.keys()].filter((topic) => topic.startsWith(prefix)).sort(),
    open(request, reply, options) {
      const header = Number(request.headers['last-event-id'])
      const { topics, nameByTopic, html, tail, since }: OpenStreamOptions =
        header > 0 ? { ...options, tail: KEPT, since: header } : options
      const messages = topics.flatMap((topic) =>
        read(topic, { ...(tail === undefined ? {} : { tail }), ...(since === undefined ? {} : { since }) }).map(
          (message) => ({
            ...message,
            event: nameByTopic === true ? topic.slice(topic.lastIndexOf('/') + 1) : message.event,
            data: html === true ? escapeHtml(message.data) : message.data,
          }),
        ),
      )
      reply.hijack()
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
      reply.raw.end(
        messages
          .sort((a, b) => a.id - b.id)
          .map(format)
          .join(''),
      )
      return reply
    },
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
}

function format({
  id,
  event,
  data,
}: Pick<StreamMessage, 'id' | 'data'> & { readonly event: string | undefined }): string {
  return `id: ${id}\n${event === undefined ? '' : `event: ${event}\n`}${data
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('')}\n`
}
