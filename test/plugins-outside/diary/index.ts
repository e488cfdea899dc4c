// Records every notification for plugins about runs, plays and accounts. Its moods simulate faults of plugins.
import {
  ACCOUNT_HEALTH_CHANGED,
  AFTER_WRITE,
  BEFORE_PLAN,
  BEFORE_WRITE,
  definePlugin,
  FILTER_PLAN,
  ITEM_RESOLVED,
  type OperationBatch,
  PLAN_READY,
  PLAY_COMPLETED,
  READ_FINISHED,
  RUN_FINISHED,
  RUN_STARTED,
  Type,
} from '@playhead/sdk'

const MOODS = ['well', 'strict', 'broken', 'lost', 'slow'] as const

const Settings = Type.Object({
  mood: Type.Union(
    MOODS.map((mood) => Type.Literal(mood)),
    { default: 'well', title: 'Mood' },
  ),
})

export default definePlugin({
  config: Settings,
  setup(ctx) {
    const { mood } = ctx.config
    let turned = 0
    const page = (hook: string, about: object) =>
      ctx.store.set(`${Date.now()} ${String((turned += 1)).padStart(6, '0')}`, { hook, about })
    const forEver = () => new Promise<never>(() => {})

    for (const hook of [
      RUN_STARTED,
      READ_FINISHED,
      BEFORE_PLAN,
      PLAN_READY,
      AFTER_WRITE,
      ITEM_RESOLVED,
      RUN_FINISHED,
      PLAY_COMPLETED,
      ACCOUNT_HEALTH_CHANGED,
    ])
      ctx.tap(hook, 'diary', async (about) => {
        await page(hook.name, about)
        if (mood === 'slow') await forEver()
      })
    ctx.tap(FILTER_PLAN, 'diary', async (batch) => {
      await page(FILTER_PLAN.name, batch)
      return mood === 'strict' ? batch.operations.map(({ n }) => ({ n, veto: 'Not in these times.' })) : []
    })
    const judge = async (batch: OperationBatch) => {
      await page(BEFORE_WRITE.name, batch)
      if (mood === 'broken') throw new Error('the pencil broke')
      return mood === 'lost' ? forEver() : []
    }
    ctx.tap(BEFORE_WRITE, { name: 'diary', timeoutMs: 500 }, judge)
    ctx.events.on('run.*', ({ name }) => page(name, {}))
  },
  routes(app) {
    const { store, config } = app.playhead
    app.get('/api/diary', async () => ({
      mood: config.mood,
      pages: (await Array.fromAsync(store.entries())).sort(([a], [b]) => (a < b ? -1 : 1)).map(([, page]) => page),
    }))
  },
})
