// The daily health of a profile: one bar per day, from the results of runs.
import { Group, Text, VisuallyHidden } from '@mantine/core'
import { useRead } from '../../api/query.ts'
import { Pending } from '../../parts/page/loading.tsx'
import { timeZone } from '../../parts/titles/ask-again.ts'
import { connections } from '../../texts/en/connections.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'

const texts = connections.health
const DAY = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' })
const FRESH_MS = 300_000

export function HealthDays({ provider, instance }: { readonly provider: string; readonly instance: string }) {
  const { data, error } = useRead(
    ['connections', 'health'],
    'GET /api/events/statistics',
    { query: { range: '30d', bucket: 'day', tz: timeZone } },
    { staleTime: FRESH_MS },
  )
  const own = data?.checks.find((one) => one.provider === provider && one.instance === instance)
  if (data === undefined) return error === null ? <Pending /> : null
  if (own === undefined) return null
  const days = data.trend.map(({ t }, index) => {
    const [checks, failed] = [own.checks[index] ?? 0, own.failed[index] ?? 0]
    return {
      t,
      state: checks === 0 ? 'none' : failed === 0 ? 'good' : failed < checks ? 'partly' : 'bad',
      text: `${DAY.format(t * 1_000)}: ${checks === 0 ? texts.none : failed === 0 ? texts.good : say(texts.failed, { n: failed, checks })}`,
    }
  })
  const sum = (counts: readonly number[]) => counts.reduce((all, n) => all + n, 0)
  const [checks, failed] = [sum(own.checks), sum(own.failed)]
  return (
    <figure className="health" aria-label={texts.title}>
      <Group justify="space-between" gap="xs" mb="2xs">
        <Text size="xs" c="dimmed">
          {texts.title}
        </Text>
        <Text size="xs" c="dimmed">
          {say(texts.share, { percent: Math.floor((100 * (checks - failed)) / checks), n: checks })}
        </Text>
      </Group>
      <div className="health-days" aria-hidden>
        {days.map(({ t, state, text }) => (
          <span key={t} data-state={state} title={text} />
        ))}
      </div>
      <VisuallyHidden>
        <ul>
          {days
            .filter(({ state }) => state === 'partly' || state === 'bad')
            .map(({ t, text }) => (
              <li key={t}>{text}</li>
            ))}
        </ul>
      </VisuallyHidden>
    </figure>
  )
}
