// Looks through the rows of all accounts again, with its progress.
import { Button, Group, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { notifyFailure } from '../../parts/dialogs/notify.ts'
import { TimeText } from '../../parts/values/time-text.tsx'
import { analyzer as texts } from '../../texts/en/analyzer.ts'

export function CheckAgain() {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const [checkedAt, setCheckedAt] = useState<number | null>(null)

  async function check(): Promise<void> {
    setBusy(true)
    try {
      // Its pass counts the problems, which the page lists.
      await api('GET /api/analyzer/problems', { query: { limit: 0, attention_limit: 0 } })
      setCheckedAt(Date.now())
    } catch (error) {
      notifyFailure(error)
    } finally {
      setBusy(false)
      await Promise.all(
        [['problems'], ['analyzer'], ['attention']].map((queryKey) => client.invalidateQueries({ queryKey })),
      )
    }
  }

  return (
    <Group gap="sm">
      <Text size="sm" c="dimmed" component="div" role="status">
        {isBusy ? (
          texts.looking
        ) : checkedAt === null ? null : (
          <>
            {texts.looked} <TimeText at={checkedAt} />
          </>
        )}
      </Text>
      <Button
        variant="default"
        leftSection={<IconRefresh size={16} aria-hidden />}
        loading={isBusy}
        onClick={() => void check()}
      >
        {texts.again}
      </Button>
    </Group>
  )
}
