// The route of what is playing.
import { asItIs, METADATA, orNull, type PluginApp, type PluginContext, Type } from '@playhead/sdk'
import type { Asking } from './ask.ts'
import { Row, rowsOf, toSeconds, Unavailable, unavailableOf } from './rows.ts'
import { findTellers } from './tellers.ts'

const Answer = Type.Object({
  ok: Type.Boolean(),
  currently_watching: orNull(Row),
  streams: Type.Array(Row, { description: 'What plays comes before what is paused, what began last before the rest.' }),
  streams_count: Type.Integer({ minimum: 0 }),
  accounts_count: Type.Integer({
    minimum: 0,
    description: 'Connected accounts that can tell what is playing, those of `unavailable` included.',
  }),
  unavailable: Type.Array(Unavailable, {
    description:
      'Accounts that did not answer, or may not know; what they told in the last ten minutes is among the streams.',
  }),
  ts: Type.Integer({ description: 'Epoch seconds.' }),
})
const schema = {
  tags: ['Scrobbler configuration and watcher runtime'],
  summary: 'What the people of the connected accounts play now',
  response: { 200: Answer },
}

export function registerRoutes(app: PluginApp, asking: Asking): void {
  app.get('/api/watch/currently_watching', { ...asItIs, schema }, async () => {
    const [told, hasArt] = await Promise.all([
      findTellers(app.playhead).then((tellers) => asking.ask(tellers)),
      knowsPictures(app.playhead),
    ])
    const streams = rowsOf(told, { artOf: (kind, tmdb) => (hasArt ? `/art/metaA/${kind}/${tmdb}?size=w185` : null) })
    return {
      ok: true,
      currently_watching: streams[0] ?? null,
      streams,
      streams_count: streams.length,
      accounts_count: told.length,
      unavailable: unavailableOf(told),
      ts: toSeconds(Date.now()),
    }
  })
}

// A title is shown without its picture rather than not at all.
async function knowsPictures(ctx: PluginContext): Promise<boolean> {
  const metadata = ctx.tryUse(METADATA)
  if (metadata === undefined) return false
  try {
    return await metadata.ready()
  } catch (error) {
    ctx.log.debug({ err: error }, 'whether there are pictures could not be asked')
    return false
  }
}
