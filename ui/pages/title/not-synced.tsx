// Changes of the title that failed, with reasons. They can be retried or ignored.
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { reasonText } from '../../parts/values/event-text.ts'
import { episodeCode } from '../../parts/values/episode.ts'
import { useFeatureNames, useNames } from '../../parts/values/names.ts'
import { TimeText } from '../../parts/values/time-text.tsx'
import { titlePage as texts } from '../../texts/en/title.ts'
import { say } from '../../texts/say.ts'
import { namesOf } from './actions.tsx'
import type { TitleData } from './data.ts'

export function NotSynced({ title }: { readonly title: TitleData }) {
  const { account } = useNames()
  const featureName = useFeatureNames()
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const rows = title.not_synced

  async function clear(): Promise<number> {
    let n = 0
    for (const { pair_id, feature, key } of rows) {
      const { cleared } = await api('POST /api/run/unresolved/clear', {
        body: { pair_id, feature: feature as 'watchlist', key },
      })
      n += cleared
    }
    return n
  }

  async function ignore() {
    const services = [...new Set(rows.map((row) => account(row.provider, row.instance)))].join(', ')
    const isSure = await confirm({
      title: texts.ignore,
      text: say(texts.ignoreText, { services }),
      action: texts.ignore,
    })
    if (!isSure) return
    await act(async () => {
      // If the blocks are not loaded, remove none.
      for (const { provider, instance, feature, key } of rows)
        await api('POST /api/editor', {
          body: {
            source: 'state',
            kind: feature,
            provider,
            provider_instance: instance,
            blocks: [key],
            original_blocks: [],
          },
        })
      await clear()
      notifyDone(say(texts.ignored, { services }))
    })
  }

  const retry = () =>
    act(async () => {
      await clear()
      await api('POST /api/run', { body: { source: 'ui', titles: namesOf(title) } })
      notifyDone(texts.actions.started)
    })

  async function act(work: () => Promise<void>) {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      notifyFailure(error)
    } finally {
      setBusy(false)
      await client.invalidateQueries({ queryKey: ['library', 'title'] })
    }
  }

  return (
    <Stack gap="sm">
      <ul className="plain-list">
        {rows.map((row) => (
          <Group
            key={`${row.pair_id} ${row.feature} ${row.provider}@${row.instance} ${row.op} ${row.key}`}
            component="li"
            justify="space-between"
            gap="xs"
            py="xs"
          >
            <div className="grow">
              <Text size="sm" fw={600}>
                {[account(row.provider, row.instance), featureName(row.feature), episodeCode(row.season, row.episode)]
                  .filter((part) => part !== '')
                  .join(' · ')}
              </Text>
              <Text size="sm">{reasonText(row.reason_code)}</Text>
            </div>
            <Text size="xs" c="dimmed" component="div">
              {say(texts.attempts, { n: Math.max(1, row.attempts) })} · <TimeText at={row.last_at} />
            </Text>
          </Group>
        ))}
      </ul>
      <Group>
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={isBusy}
          onClick={() => void retry()}
        >
          {texts.retry}
        </Button>
        <Button variant="subtle" disabled={isBusy} onClick={() => void ignore()}>
          {texts.ignore}
        </Button>
      </Group>
    </Stack>
  )
}
