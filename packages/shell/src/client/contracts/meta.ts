/* Type of the title and the tags of a page. */

/** Attributes of an element. true is an attribute without value; false, null and undefined omit the attribute. */
type Attributes = Record<string, string | number | boolean | null | undefined>
type RootAttributes = Record<string, Attributes[string] | string[] | Record<string, boolean>>

/**
 * Return value of `getMeta`. All values are text, which Hull escapes. A member or property that is undefined is the same
 * as none: that of the layout applies.
 */
export interface Meta {
  title?: string
  description?: string
  /** Absolute URL, or a path of this application. */
  canonical?: string
  /**
   * Open Graph properties without the prefix: `{ image: '/picture.png' }` is `og:image`. A list is one element for each
   * value. A path as `image`, `url`, `video` or `audio` becomes an absolute URL.
   */
  openGraph?: Record<string, string | string[] | undefined>
  /** Properties for X (Twitter), without the prefix: `{ card: 'summary_large_image' }` is `twitter:card`. */
  twitter?: Record<string, string | undefined>
  /**
   * Addresses of this page by language, for `hreflang`: `{ de: '/de/prices', 'x-default': '/prices' }`. Absolute URLs,
   * or paths of this application. Name the page's own language too.
   */
  alternates?: Record<string, string | undefined>
  /** Structured data, one object or several, as `application/ld+json`. Anything that JSON can represent. */
  jsonLd?: object | object[]
  /** Content of the `robots` element, such as `noindex`. */
  robots?: string
  /** Template around the title: `%s - Shop`, or a function. Without a title it is not used. */
  titleTemplate?: string | ((title: string) => string)
  /** Additional `<meta>` elements, by their attributes: `{ name: 'author', content: 'Ada' }`. */
  meta?: Attributes[]
  /** Additional `<link>` elements, by their attributes. */
  link?: Attributes[]
  /** Attributes of `<html>` while the page is shown. */
  htmlAttrs?: RootAttributes
  /** Attributes of `<body>` while the page is shown. */
  bodyAttrs?: RootAttributes
}
