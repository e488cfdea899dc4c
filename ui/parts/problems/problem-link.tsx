// The number of problems of a pair or of a run, with the way to them.
import { Button, Group, Paper, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { problems as texts } from '../../texts/en/problems.ts'
import { runs } from '../../texts/en/runs.ts'
import { say } from '../../texts/say.ts'

interface ProblemLinkProps {
  readonly of: { readonly pair: string } | { readonly run: string }
  /** As the status counts them. */
  readonly count: number
  readonly children?: ReactNode
}

export function ProblemLink({ of, count, children }: ProblemLinkProps) {
  const title = say(runs.status.need_you, { n: count })
  const isOfRun = 'run' in of
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Group justify="space-between" gap="sm">
        <div style={{ flex: '1 1 14rem', minWidth: 0 }}>
          <Title order={2} size="h4">
            {title}
          </Title>
          {isOfRun ? (
            <Text size="sm" c="dimmed">
              {texts.link.ofRun}
            </Text>
          ) : null}
        </div>
        <Button component={Link} href={`/problems?${new URLSearchParams(of).toString()}`} size="xs">
          {texts.link.show}
        </Button>
      </Group>
      {children}
    </Paper>
  )
}
