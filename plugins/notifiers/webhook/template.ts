// The template of a body: text with {{names}}, and {{json name}} for a value quoted as JSON. Values are not evaluated.
import type { NotificationMessage } from '@playhead/sdk'

const PLACE = /\{\{\s*(json\s+)?([^{}]*?)\s*\}\}/g
const NAMES = ['title', 'text', 'severity', 'event', 'url', 'time', 'id'] as const
type Name = (typeof NAMES)[number]

/** Why a template cannot be used. */
export function templateProblem(template: string, type: string): string | undefined {
  const unknown = [...template.matchAll(PLACE)].map(([, , name = '']) => name).find((name) => !isName(name))
  if (unknown !== undefined)
    return `The template has {{${unknown.slice(0, 40)}}}, which is not known. Known: ${NAMES.join(', ')}.`
  if (template === '' || !/^application\/(\w+\+)?json/.test(type)) return undefined
  try {
    JSON.parse(fillTemplate(template, EXAMPLE))
    return undefined
  } catch {
    return 'The body that the template makes is no JSON. Write {{json title}} without quotes around it, or choose another content type.'
  }
}

export function fillTemplate(template: string, message: NotificationMessage): string {
  return template.replace(PLACE, (_all, json: string | undefined, name: string) => {
    const value = textFor(message, name as Name)
    return json === undefined ? value : JSON.stringify(value)
  })
}

// Values that would break JSON text if they are not quoted.
const EXAMPLE: NotificationMessage = {
  id: 'example',
  event: 'test',
  title: 'A "title"',
  text: 'Two\nlines \\',
  severity: 'info',
  atMs: 0,
  url: 'https://playhead.example.org/?a="b"',
}

function isName(name: string): name is Name {
  return (NAMES as readonly string[]).includes(name)
}

function textFor(message: NotificationMessage, name: Name): string {
  return name === 'time' ? new Date(message.atMs).toISOString() : (message[name] ?? '')
}
