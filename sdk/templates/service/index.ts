// Stores short notes: an example of settings, routes, storage, events and a job.
import { definePlugin, Type } from '@playhead/sdk'
import { createNotes } from './notes.ts'

const Settings = Type.Object({ keep: Type.Integer({ default: 100, minimum: 1, description: 'Notes that are kept' }) })
const Note = Type.Object({ text: Type.String({ minLength: 1, maxLength: 200 }) })

export default definePlugin({
  config: Settings,
  setup(ctx) {
    const notes = createNotes(ctx.store, () => ctx.config.keep)
    ctx.every('1d', 'trim', () => notes.trim())
    return notes
  },
  routes(app, notes) {
    app.get('/api/acme/notes', async () => ({ ok: true, notes: await notes.list() }))
    app.post<{ Body: { text: string } }>('/api/acme/notes', { schema: { body: Note } }, async ({ body }) => {
      const count = await notes.add(body.text)
      app.playhead.events.emit('acme.noted', { count })
      return { ok: true, count }
    })
  },
})
