// The one next step on a page that is empty before the first sync.
import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { useRead } from '../../api/query.ts'
import { parts } from '../../texts/en/parts.ts'

const FRESH_MS = 60_000
const { nextStep: texts } = parts
const STEPS = {
  connect: { text: texts.connect, href: '/connections' },
  pair: { text: texts.pair, href: '/pairs/new' },
  run: { text: texts.run, href: '/pairs' },
}

export function NextStep() {
  const { data: services } = useRead(['pairs', 'providers'], 'GET /api/sync/providers', undefined, {
    staleTime: FRESH_MS,
  })
  const { data: pairs } = useRead(['pairs'], 'GET /api/pairs', undefined, { staleTime: FRESH_MS })
  const accounts = services?.flatMap(({ instances }) => instances.filter(({ configured }) => configured)) ?? []
  const { text, href } =
    STEPS[pairs !== undefined && pairs.length > 0 ? 'run' : accounts.length < 2 ? 'connect' : 'pair']
  const isKnown = services !== undefined && pairs !== undefined
  return (
    // Reserve the space until the step is known.
    <Button component={Link} href={href} style={isKnown ? {} : { visibility: 'hidden' }}>
      {text}
    </Button>
  )
}
