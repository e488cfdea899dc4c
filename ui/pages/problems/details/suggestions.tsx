// Suggested ids for a row, from other rows and the metadata service. Nothing changes until the user picks one.
import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { IconWand } from '@tabler/icons-react'
import { useChange } from '../../../api/query.ts'
import { notifyDone } from '../../../parts/dialogs/notify.ts'
import { Failure } from '../../../parts/page/failure.tsx'
import { analyzer } from '../../../texts/en/analyzer.ts'
import { say } from '../../../texts/say.ts'
import type { Row, ProblemsQuery } from './finding.ts'

const { detail: texts } = analyzer
const PERCENT = 100

interface SuggestionsProps {
  readonly row: Row
  readonly query: ProblemsQuery
  readonly onDone: () => void
}

export function Suggestions({ row, query, onDone }: SuggestionsProps) {
  const input = query.pairs === undefined ? {} : { query: { pairs: query.pairs } }
  const suggest = useChange('POST /api/analyzer/suggest')
  const use = useChange('POST /api/analyzer/patch', {
    refresh: [['analyzer'], ['problems']],
    onDone: () => {
      notifyDone(texts.used)
      onDone()
    },
  })
  const found = suggest.data?.suggestions
  return (
    <Stack gap="xs">
      <Group>
        <Button
          size="xs"
          variant="subtle"
          leftSection={<IconWand size={14} aria-hidden />}
          loading={suggest.isPending}
          onClick={() => suggest.mutate({ ...input, body: { ...row } })}
        >
          {texts.suggest}
        </Button>
      </Group>
      {suggest.error === null ? null : <Failure error={suggest.error} />}
      {use.error === null ? null : <Failure error={use.error} />}
      {found === undefined ? null : found.length === 0 ? (
        <Text size="sm" c="dimmed" role="status">
          {texts.noSuggestions}
        </Text>
      ) : (
        <>
          <Text size="sm" fw={600}>
            {texts.suggested}
          </Text>
          {found.map(({ ids: own, title, year, source, confidence, conflicts, ...more }) => {
            // An episode or season has the ids of its show here.
            const ids = (more['show_ids'] ?? own) as typeof own
            return (
              <Paper key={JSON.stringify(ids)} withBorder p="sm">
                <Group justify="space-between" wrap="nowrap">
                  <div className="grow">
                    <Text size="sm" fw={600} truncate dir="auto">
                      {[title, year].filter((one) => one !== null).join(' · ')}
                    </Text>
                    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                      {Object.entries(ids)
                        .map(([scheme, id]) => `${scheme} ${id}`)
                        .join(' · ')}
                    </Text>
                    <Text size="xs" c="dimmed">
                      {say(texts.from, { source, percent: Math.round(confidence * PERCENT) })}
                      {conflicts.length === 0 ? '' : `, ${say(texts.conflicts, { what: conflicts.join(', ') })}`}
                    </Text>
                  </div>
                  <Button
                    size="xs"
                    variant="default"
                    loading={use.isPending}
                    onClick={() => use.mutate({ ...input, body: { ...row, ids } })}
                  >
                    {texts.use}
                  </Button>
                </Group>
              </Paper>
            )
          })}
        </>
      )}
    </Stack>
  )
}
