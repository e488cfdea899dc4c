// The route of the current sessions.
import { skipSerializer, METADATA, orNull, type PluginApp, type PluginContext, Type } from '@playhead/sdk'
import type { SessionPoller } from './poll.ts'
import { Row, toRows, toSeconds, Unavailable, toUnavailable } from './rows.ts'
import { findSessionSources } from './session-sources.ts'

const Answer = Type.Object({
  ok: Type.Boolean(),
  currently_watching: orNull(Row),
  streams: Type.Array(Row, { description: 'Playing before paused, then the latest start first.' }),
  streams_count: Type.Integer({ minimum: 0 }),
  accounts_count: Type.Integer({
    minimum: 0,
    description: 'Connected accounts that report sessions, including those in `unavailable`.',
  }),
  unavailable: Type.Array(Unavailable, {
    description:
      'Accounts that did not answer, or may not know; sessions they reported in the last ten minutes are among the streams.',
  }),
  ts: Type.Integer({ description: 'Epoch seconds.' }),
})
const schema = {
  tags: ['Scrobbler configuration and watcher runtime'],
  summary: 'Current sessions of the connected accounts',
  response: { 200: Answer },
}

export function registerRoutes(app: PluginApp, poller: SessionPoller): void {
  app.get('/api/watch/currently_watching', { ...skipSerializer, schema }, async () => {
    const [accounts, hasArt] = await Promise.all([
      findSessionSources(app.playhead).then((sources) => poller.poll(sources)),
      hasPosters(app.playhead),
    ])
    const streams = toRows(accounts, {
      artOf: (kind, tmdb) => (hasArt ? `/art/metaA/${kind}/${tmdb}?size=w185` : null),
    })
    return {
      ok: true,
      currently_watching: streams[0] ?? null,
      streams,
      streams_count: streams.length,
      accounts_count: accounts.length,
      unavailable: toUnavailable(accounts),
      ts: toSeconds(Date.now()),
    }
  })
}

// A failure hides the poster, not the session.
async function hasPosters(ctx: PluginContext): Promise<boolean> {
  const metadata = ctx.tryUse(METADATA)
  if (metadata === undefined) return false
  try {
    return await metadata.ready()
  } catch (error) {
    ctx.log.debug({ err: error }, 'the metadata service could not be checked for posters')
    return false
  }
}
