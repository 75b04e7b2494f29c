import { IntlProvider, useTranslations } from 'use-intl'
import { NavLink, useRoute, type Ctx, type LayoutProps, type Meta } from '@hull/shell/client'
import { LANGUAGES, readMessages, translate, type Language } from '../messages/index.ts'

/** For dates. Without it, the server would use its own time zone, and the browser that of the visitor. */
const TIME_ZONE = 'Europe/Oslo'

const NAMES: Record<Language, string> = { en: 'English', de: 'Deutsch', pl: 'Polski' }

/** Returns the path of the same page in another language. */
const inLanguage = (pathname: string, language: Language) => pathname.replace(/^\/[^/]*/, `/${language}`)

export const getData = ({ params }: Ctx<'/[lang]'>) => readMessages(params.lang)

export const getMeta = ({ params: { lang }, pathname }: Ctx<'/[lang]'>): Meta => ({
  titleTemplate: `%s · ${translate(lang, 'Site')('name')}`,
  htmlAttrs: { lang },
  canonical: pathname,
  alternates: {
    ...Object.fromEntries(LANGUAGES.map((language) => [language, inLanguage(pathname, language)])),
    'x-default': inLanguage(pathname, LANGUAGES[0])
  }
})

export function NotFoundView() {
  const t = useTranslations('Site')
  return <h1>{t('notFound')}</h1>
}

export default function LanguageLayout({ data: { language, messages }, children }: LayoutProps<typeof getData>) {
  const { pathname, search } = useRoute()
  return (
    <IntlProvider locale={language} messages={messages} timeZone={TIME_ZONE}>
      <Navigation language={language} />
      <main>{children}</main>
      <ul aria-label={messages.Site.languages}>
        {LANGUAGES.map((other) => (
          <li key={other}>
            <a
              href={`${inLanguage(pathname, other)}${search.size > 0 ? `?${search}` : ''}`}
              hrefLang={other}
              lang={other}
              aria-current={other === language || undefined}
            >
              {NAMES[other]}
            </a>
          </li>
        ))}
      </ul>
    </IntlProvider>
  )
}

function Navigation({ language }: { language: Language }) {
  const t = useTranslations('Site')
  return (
    <nav>
      <NavLink href={`/${language}/ropes`}>{t('ropes')}</NavLink>
      <NavLink href={`/${language}/order`}>{t('order')}</NavLink>
    </nav>
  )
}
