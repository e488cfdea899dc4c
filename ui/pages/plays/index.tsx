// Records a play by hand: title, part, time and accounts, then the preview, then the result.
import { Paper, Stack } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import { useRead } from '../../api/query.ts'
import { timeZone } from '../../parts/titles/ask-again.ts'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { ChosenTitle, TitleSearch, type Work } from '../../parts/titles/title-search.tsx'
import { plays as texts } from '../../texts/en/plays.ts'
import { shell } from '../../texts/en/shell.ts'
import { PlayForm } from './form.tsx'

const crumbs = [{ title: shell.pages.history, href: '/history' }]

export default function AddPlay() {
  const [search, setSearch] = useSearchParams()
  const key = search.get('title')
  const [work, setWork] = useState<Work | null>(null)
  return (
    <Page title={texts.title} text={texts.intro} breadcrumbs={crumbs}>
      {key !== null && work === null ? (
        <Known libraryKey={key} onFound={setWork} />
      ) : (
        <Stack gap="lg" maw={760}>
          {work === null ? (
            <TitleSearch label={texts.search.label} onChoose={setWork} />
          ) : (
            <>
              <Paper withBorder p="md">
                <ChosenTitle
                  work={work}
                  onChange={() => {
                    setWork(null)
                    setSearch({}, { replace: true })
                  }}
                />
              </Paper>
              <PlayForm
                key={JSON.stringify(work.ids)}
                work={work}
                onAnother={() => {
                  setWork(null)
                  setSearch({}, { replace: true })
                }}
              />
            </>
          )}
        </Stack>
      )}
    </Page>
  )
}

/** The title in the address, set by a link from its page. */
function Known({ libraryKey, onFound }: { readonly libraryKey: string; readonly onFound: (work: Work) => void }) {
  const query = useRead(['library', 'title', libraryKey], 'GET /api/library/{key}', {
    params: { key: libraryKey },
    query: { tz: timeZone },
  })
  const { data } = query
  useEffect(() => {
    if (data !== undefined)
      onFound({
        type: data.kind === 'movie' ? 'movie' : 'show',
        title: data.title,
        year: data.year,
        ids: data.ids,
        key: data.key,
      })
  }, [data, onFound])
  return <QueryView query={query}>{() => null}</QueryView>
}
