import DOMPurify, { type Config } from 'dompurify';

const blocks = 'h1 h2 h3 h4 h5 h6 p hr br blockquote pre code div span ul ol li table thead tbody tr th td';
const words = 'a img em strong s';
const attributes = 'id class title tabindex role aria-label data-lines href rel target src alt loading start';

const config: Config = {
  ALLOWED_TAGS: `${blocks} ${words}`.split(' '),
  ALLOWED_ATTR: attributes.split(' '),
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOW_UNKNOWN_PROTOCOLS: false,
};

/** HTML that can run nothing, in the form that the page's policy takes. */
export function sanitize(html: string): TrustedHTML {
  return DOMPurify.sanitize(html, { ...config, RETURN_TRUSTED_TYPE: true });
}
