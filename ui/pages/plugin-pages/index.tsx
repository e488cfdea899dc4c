import { IconPlayerPause } from '@tabler/icons-react'
import type { PageProps } from '../../app/page-props.ts'
import { Absent } from '../../parts/page/absent.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { Page } from '../../parts/page/page.tsx'
import { PluginError } from '../../parts/plugins/plugin-error.tsx'
import { PluginModule } from '../../parts/plugins/plugin-module.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { usePlugins, type PluginSummary } from '../../parts/plugins/use-plugins.ts'
import { plugins } from '../../texts/en/plugins.ts'
import { shell } from '../../texts/en/shell.ts'
import { say } from '../../texts/say.ts'

const texts = plugins.page

export default function PluginPage({ params }: PageProps) {
  const { plugin: id = '', page: path = '' } = params
  const query = usePlugins()
  const plugin = query.data?.plugins.find((one) => one.id === id)
  const page = plugin?.ui.pages.find((one) => one.path === path)
  const breadcrumbs = [
    { title: shell.pages.plugins, href: '/plugins' },
    ...(plugin === undefined ? [] : [{ title: plugin.name, href: `/plugins/${plugin.id}` }]),
  ]

  return (
    <Page title={page?.title ?? plugin?.name ?? shell.pages.pluginPage} breadcrumbs={breadcrumbs}>
      {query.isPending ? (
        <Loading rows={3} />
      ) : (
        <QueryView query={query}>
          {() =>
            page === undefined ? (
              <NoPage plugin={plugin} />
            ) : (
              <>
                {plugin?.last_error == null ? null : (
                  <PluginError
                    error={plugin.last_error}
                    isActive
                    {...(plugin.last_error.of_edit ? { title: texts.brokenTitle } : {})}
                  />
                )}
                <PluginModule
                  key={page.path}
                  plugin={id}
                  url={page.url}
                  generation={plugin?.generation ?? null}
                  failureTitle={say(texts.failed, { name: plugin?.name ?? id })}
                />
              </>
            )
          }
        </QueryView>
      )}
    </Page>
  )
}

function NoPage({ plugin }: { readonly plugin: PluginSummary | undefined }) {
  if (plugin === undefined)
    return <Absent title={plugins.missing} text={plugins.missingText} to={plugins.toList} href="/plugins" />
  const isResting = plugin.generation === null
  return (
    <Absent
      {...(isResting ? { icon: IconPlayerPause } : {})}
      title={isResting ? texts.off : texts.missing}
      text={say(isResting ? texts.offText : texts.missingText, { name: plugin.name })}
      to={say(texts.toPlugin, { name: plugin.name })}
      href={`/plugins/${plugin.id}`}
    />
  )
}
