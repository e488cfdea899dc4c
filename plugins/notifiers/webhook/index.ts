// A request to any address: the message as JSON, or text from a template.
import { oneOf, PlayheadError, Type } from '@playhead/sdk'
import { defineNotifier } from '@playhead/sdk/notifier'
import { fillTemplate, templateProblem } from './template.ts'

const HEADER = '^[A-Za-z0-9-]{1,64}: ?[^\\r\\n]{0,2000}$'

export default defineNotifier({
  id: 'webhook',
  settings: Type.Object({
    url: Type.String({ secret: true, description: 'The full address, with path and query.' }),
    method: oneOf(['POST', 'PUT'], 'POST'),
    content_type: Type.String({ default: 'application/json', pattern: '^[\\w.+-]+/[\\w.+-]+(; ?charset=[\\w-]+)?$' }),
    template: Type.String({
      default: '',
      maxLength: 20_000,
      description:
        'The body of the request, with {{title}}, {{text}}, {{severity}}, {{event}}, {{url}}, {{time}} and {{id}}. Use {{json title}} in JSON. Leave empty to send all values as JSON.',
    }),
    header: Type.String({
      default: '',
      secret: true,
      boundTo: 'url',
      pattern: `${HEADER}|^$`,
      description: 'An additional header, for example Authorization: Bearer …',
    }),
  }),
  check: ({ template, content_type: type }) => templateProblem(template, type),
  async send({ settings: { url, method, content_type: type, template, header }, message, request }) {
    const problem = templateProblem(template, type)
    if (problem !== undefined) throw new PlayheadError('PLH_INVALID', problem, { wire: 'invalid_template' })
    const colon = header.indexOf(':')
    await request(url, {
      method,
      headers: {
        'content-type': type,
        ...(colon < 1 ? {} : { [header.slice(0, colon).toLowerCase()]: header.slice(colon + 1).trim() }),
      },
      body:
        template === ''
          ? JSON.stringify({ ...message, time: new Date(message.atMs).toISOString() })
          : fillTemplate(template, message),
    })
  },
})
