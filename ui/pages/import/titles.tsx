// Titles without ids: each once, with suggestions to choose from.
import { Button, Group, Paper, Radio, Stack, Text, Title as Heading } from '@mantine/core'
import { useState } from 'react'
import { useChange, useRead } from '../../api/query.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { imports } from '../../texts/en/import.ts'
import { say } from '../../texts/say.ts'
import type { Import, Title } from './state.ts'

const { titles: texts } = imports
const PAGE = 20
const SKIP = 'skip'

export function Titles({ one }: { readonly one: Import }) {
  const [limit, setLimit] = useState(PAGE)
  const params = { import_id: one.import_id }
  const query = useRead(
    ['import', 'titles'],
    'GET /api/import/{import_id}/titles',
    { params, query: { limit: Math.min(limit, 50) } },
    { keepPrevious: true },
  )
  const choose = useChange('POST /api/import/{import_id}/choices', { refresh: [['import']] })
  return (
    <Stack gap="sm" component="section" aria-label={texts.title}>
      <div>
        <Heading order={2} size="h4">
          {texts.title}
        </Heading>
        <Text size="sm" c="dimmed">
          {one.titles.open === 0 ? texts.done : texts.text}
        </Text>
      </div>
      {choose.error === null ? null : <Failure error={choose.error} />}
      <QueryView query={query}>
        {({ titles, total, metadata_ready: isReady }) => (
          <Stack gap="sm">
            {isReady ? null : <Text size="sm">{texts.noMetadata}</Text>}
            {titles.map((title) => (
              <Choice
                key={title.title}
                title={title}
                onChoose={(choice) => choose.mutate({ params, body: { choices: [{ title: title.title, choice }] } })}
              />
            ))}
            {total > titles.length && limit < 50 ? (
              <Group>
                <Button variant="subtle" onClick={() => setLimit(50)}>
                  {texts.more}
                </Button>
              </Group>
            ) : null}
          </Stack>
        )}
      </QueryView>
    </Stack>
  )
}

type Work = NonNullable<Title['suggestions']>[number]
type Chosen =
  | 'skip'
  | null
  | {
      readonly type: 'movie' | 'show'
      readonly ids: Record<string, string>
      readonly title: string
      readonly year: number | null
    }

const choiceOf = (work: Pick<Work, 'type' | 'ids'>) => JSON.stringify([work.type, Object.entries(work.ids).sort()])

function Choice({ title, onChoose }: { readonly title: Title; readonly onChoose: (choice: Chosen) => void }) {
  const { about, rows, suggestions, choice } = title
  const name = about.year === null ? about.title : `${about.title} (${about.year})`
  const value = choice === SKIP ? SKIP : choice === null ? '' : choiceOf(choice as Pick<Work, 'type' | 'ids'>)
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="xs">
        <Text fw={600}>{name}</Text>
        <Text size="sm" c="dimmed">
          {say(texts.rows, { n: rows })}
        </Text>
      </Group>
      <Radio.Group
        aria-label={say(texts.of, { title: name })}
        value={value}
        onChange={(next) => {
          const work = suggestions?.find((one) => choiceOf(one) === next)
          onChoose(
            work === undefined
              ? SKIP
              : { type: work.type === 'movie' ? 'movie' : 'show', ids: work.ids, title: work.title, year: work.year },
          )
        }}
      >
        <Stack gap={6}>
          {(suggestions ?? []).map((work) => (
            <Radio
              key={choiceOf(work)}
              value={choiceOf(work)}
              label={work.year === null ? work.title : `${work.title} (${work.year})`}
              description={Object.entries(work.ids)
                .map(([scheme, id]) => `${scheme} ${id}`)
                .join(' · ')}
            />
          ))}
          {suggestions === null || suggestions.length === 0 ? (
            <Text size="sm" c="dimmed">
              {texts.none}
            </Text>
          ) : null}
          <Radio value={SKIP} label={texts.skip} />
        </Stack>
      </Radio.Group>
    </Paper>
  )
}
