// Searches a title by name; a result is selected with its ids, never by title alone.
import { Anchor, Badge, Box, Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch, IconSearchOff } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { isApiError } from '../../api/error.ts'
import { useRead } from '../../api/query.ts'
import { EmptyState } from '../page/empty-state.tsx'
import { Failure } from '../page/failure.tsx'
import { Loading } from '../page/loading.tsx'
import { pictureOf } from './pictures.ts'
import { PosterImage } from '../values/poster-image.tsx'
import { plays } from '../../texts/en/plays.ts'

/** A film or show with the ids that name it. */
export interface Work {
  readonly type: 'movie' | 'show'
  readonly title: string
  readonly year: number | null
  readonly ids: Readonly<Record<string, string>>
  /** Key of the title in the library. */
  readonly key?: string
}

const { search: texts } = plays
const TYPING_MS = 300
const SHOWN = 12
const NO_SOURCE: readonly string[] = ['not_ready', 'metadata_key_missing']

interface TitleSearchProps {
  readonly label: string
  readonly onChoose: (work: Work) => void
}

export function TitleSearch({ label, onChoose }: TitleSearchProps) {
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), TYPING_MS)
  const query = useRead(
    ['metadata', 'search'],
    'GET /api/metadata/search',
    { query: { q: asked, typ: 'multi', limit: SHOWN } },
    { enabled: asked !== '', keepPrevious: true },
  )
  const found = asked === '' ? undefined : query.data?.results
  // Neither the metadata service nor any account has titles.
  const hasNone = isApiError(query.error) && NO_SOURCE.includes(query.error.code)
  const isOwn = found?.every(({ source }) => source === 'library') === true
  return (
    <Stack gap="sm" role="search">
      <TextInput
        type="search"
        size="md"
        label={label}
        placeholder={texts.placeholder}
        leftSection={<IconSearch size={18} aria-hidden />}
        value={text}
        maxLength={200}
        dir="auto"
        data-autofocus
        autoFocus
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {query.error === null || hasNone ? null : <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {asked !== '' && found === undefined && query.error === null ? <Loading rows={4} /> : null}
      {found === undefined && !hasNone ? null : found === undefined || found.length === 0 ? (
        <EmptyState
          icon={IconSearchOff}
          title={texts.none}
          text={<NoKey text={texts.noneText} isShown={isOwn || hasNone} />}
        />
      ) : (
        <>
          <Text size="sm" c="dimmed" role="status">
            {texts.hint}
          </Text>
          <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }} aria-label={texts.results}>
            {found.map(({ type, title, year, ids, overview, source }) => (
              <Paper component="li" withBorder key={`${type} ${JSON.stringify(ids)}`}>
                <button type="button" className="choice" onClick={() => onChoose({ type, title, year, ids })}>
                  <Head work={{ type, title, year, ids }} text={overview} isOwn={source === 'library'} />
                </button>
              </Paper>
            ))}
          </Stack>
          {isOwn ? <NoKey text="" isShown /> : null}
        </>
      )}
    </Stack>
  )
}

function NoKey({ text, isShown }: { readonly text: string; readonly isShown: boolean }) {
  return (
    <Text size="sm" c="dimmed" component="div">
      {text}{' '}
      {isShown ? (
        <>
          {texts.noKey}{' '}
          <Anchor component={Link} href="/connections" inherit underline="always">
            {texts.toSettings}
          </Anchor>
        </>
      ) : null}
    </Text>
  )
}

export function ChosenTitle({ work, onChange }: { readonly work: Work; readonly onChange: () => void }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <div className="grow">
        <Head work={work} text="" isOwn={false} />
      </div>
      <Button size="xs" variant="default" onClick={onChange} style={{ flexShrink: 0 }}>
        {texts.change}
      </Button>
    </Group>
  )
}

interface HeadProps {
  readonly work: Work
  readonly text: string
  readonly isOwn: boolean
}

function Head({ work: { type, title, year, ids }, text, isOwn }: HeadProps) {
  return (
    <Group gap="md" wrap="nowrap">
      <Box w={44} style={{ flexShrink: 0 }} aria-hidden>
        <PosterImage src={pictureOf({ kind: type, ids }, 185)} title="" />
      </Box>
      <div className="grow">
        <Text fw={600} truncate title={title} dir="auto">
          {year === null ? title : `${title} (${year})`}
        </Text>
        {text === '' ? null : (
          <Text size="xs" c="dimmed" lineClamp={1} dir="auto">
            {text}
          </Text>
        )}
        <Text size="xs" c="dimmed" truncate>
          {[
            texts.kinds[type],
            ...Object.entries(ids)
              .slice(0, 3)
              .map(([scheme, id]) => `${scheme} ${id}`),
          ].join(' · ')}
        </Text>
      </div>
      {isOwn ? (
        <Badge variant="default" visibleFrom="xs" style={{ flexShrink: 0 }}>
          {texts.fromLibrary}
        </Badge>
      ) : null}
    </Group>
  )
}
