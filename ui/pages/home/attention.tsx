// Problems on Home: their number, and each cause with its action or the way to its problems.
import { Anchor, Button, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { IconAlertTriangle, IconHandStop, IconInfoCircle } from '@tabler/icons-react'
import { Link } from 'wouter'
import { Failure } from '../../parts/page/failure.tsx'
import { problemNumber } from '../../parts/problems/problem-number.ts'
import { ProblemRow } from '../../parts/problems/problem-row.tsx'
import type { Board, ProblemCause } from '../../parts/problems/use-problem-actions.ts'
import { home } from '../../texts/en/home.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'

const SHOWN = 4
const STYLES = {
  error: { color: 'red', icon: IconAlertTriangle },
  warning: { color: 'orange', icon: IconHandStop },
  info: { color: 'blue', icon: IconInfoCircle },
} as const
const { attention: texts } = home

interface AttentionListProps {
  readonly query: UseQueryResult<Board, Error>
  /** The status above has the number. */
  readonly isCounted: boolean
}

/** Renders nothing if there are no problems. */
export function AttentionList({ query: { data, error, refetch }, isCounted }: AttentionListProps) {
  if (data === undefined) return error === null ? null : <Failure error={error} onRetry={() => void refetch()} />
  if (data.causes.length === 0) return null
  return (
    <Stack gap="sm" component="section" aria-label={texts.title}>
      <Group justify="space-between" align="baseline" gap="xs">
        <Title order={2} size="h4">
          {isCounted ? texts.title : problemNumber(data)}
        </Title>
        <Anchor component={Link} href="/problems" size="sm">
          {texts.all}
        </Anchor>
      </Group>
      <Paper withBorder px="md">
        <ul className="plain-list" aria-label={texts.title}>
          {data.causes
            .slice(0, SHOWN)
            .map((cause) =>
              cause.only === null ? (
                <CauseRow key={cause.cause} cause={cause} />
              ) : (
                <ProblemRow key={cause.cause} problem={cause.only} cause={cause} isIgnored={false} />
              ),
            )}
        </ul>
      </Paper>
    </Stack>
  )
}

function CauseRow({
  cause: { cause, title: english, text, rows, need_you: needYou, severity },
}: {
  readonly cause: ProblemCause
}) {
  const title = serviceText(english)
  const { color, icon: Icon } = STYLES[severity]
  return (
    <Group component="li" className="problem" wrap="nowrap" gap="sm" align="flex-start">
      <ThemeIcon variant="light" color={color} size={26}>
        <Icon size={16} aria-label={texts.severities[severity]} />
      </ThemeIcon>
      <Group justify="space-between" gap="xs" className="grow">
        <div style={{ flex: '1 1 14rem', minWidth: 0 }}>
          <Text fw={600} size="sm">
            {say(texts.counted, { title, n: needYou || rows })}
          </Text>
          <Text size="sm" c="dimmed">
            {serviceText(text)}
          </Text>
        </div>
        <Button
          size="xs"
          variant="default"
          component={Link}
          href={`/problems?cause=${encodeURIComponent(cause)}`}
          aria-label={say(texts.act, { action: texts.show, title })}
        >
          {texts.show}
        </Button>
      </Group>
    </Group>
  )
}
