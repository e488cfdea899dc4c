// Sends messages to a loft. Its settings use every field type of a form.
import { Type } from '@playhead/sdk'
import { defineNotifier } from '@playhead/sdk/notifier'

export default defineNotifier({
  id: 'pigeon',
  label: 'Pigeon',
  hint: 'The loft prints its password on its door.',
  settings: Type.Object({
    loft: Type.String({ title: 'Loft', minLength: 1, description: 'Its address, for example http://loft:9000' }),
    password: Type.String({ title: 'Password of the loft', secret: true, boundTo: 'loft' }),
    breed: Type.Union(
      [Type.Literal('homer', { title: 'Racing homer' }), Type.Literal('tumbler', { title: 'Tumbler' })],
      { title: 'Breed', default: 'homer' },
    ),
    load_grams: Type.Integer({ title: 'Load in grams', minimum: 1, maximum: 75, default: 20 }),
    by_night: Type.Boolean({ title: 'Also by night', description: 'Pigeons sleep then.', default: false }),
    stops: Type.Array(Type.String(), { title: 'Stops on the way', default: [] }),
    ring: Type.Object(
      { colour: Type.String({ title: 'Color of the ring', default: 'blue' }) },
      { title: 'Ring', default: { colour: 'blue' } },
    ),
  }),
  check: ({ stops }) => (stops.length > 3 ? 'A pigeon stops three times at most.' : undefined),
  send: ({ settings, message, request }) =>
    request(`${settings.loft}/pigeons`, {
      headers: { authorization: `Bearer ${settings.password}` },
      json: { text: message.title, breed: settings.breed, grams: settings.load_grams, ring: settings.ring },
    }),
})
