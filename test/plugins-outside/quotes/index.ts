// Fetches a quote after each run, and counts its calls.
import { definePlugin, RUN_FINISHED, Type, type UpstreamAccount } from '@playhead/sdk'
import { titleWords } from 'title-words'

const Settings = Type.Object({
  server: Type.String({ default: '', description: 'Address of the quote server' }),
  elsewhere: Type.String({ default: '', description: 'Another address' }),
  api_key: Type.String({ default: '', secret: true }),
})
const Quote = Type.Object({ text: Type.String() })

export default definePlugin<typeof Settings, { account: UpstreamAccount | null }>({
  config: Settings,
  migrations: [
    { name: '001-asked', up: (db) => db.schema.createTable('quotes__asked').addColumn('at', 'bigint').execute() },
  ],
  services: {
    account: ({ upstream, config }) =>
      config.server === ''
        ? null
        : upstream.account({
            account: 'quotes@default',
            baseUrl: config.elsewhere === '' ? config.server : config.elsewhere,
            credential: {
              secrets: () => ({ key: config.api_key }),
              place: [{ in: 'header', name: 'x-api-key', template: '{key}' }],
            },
          }),
  },
  setup(ctx) {
    ctx.tap(RUN_FINISHED, 'remember', async ({ runId }) => void (await ctx.store.set('run', runId)))
    ctx.events.on('account.created', () => ctx.log.info('an account was added'))
  },
  routes(app) {
    const { store, services, db, log } = app.playhead
    app.get('/api/quotes', async () => {
      const asked = ((await store.get<number>('asked')) ?? 0) + 1
      await store.set('asked', asked)
      await db.insertInto('quotes__asked').values({ at: asked }).execute()
      return { version: '1.0.0', asked, title: titleWords('carpe diem') }
    })
    app.post('/api/quotes/fetch', async () => {
      if (services.account === null) return { ok: false }
      console.log('fetching with', app.playhead.config.api_key)
      process.stdout.write(`raw ${app.playhead.config.api_key}\n`)
      log.info('fetching')
      return { ok: true, ...(await services.account.json({ path: 'quote' }, Quote)) }
    })
  },
})
