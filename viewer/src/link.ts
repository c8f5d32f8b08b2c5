// SPDX-License-Identifier: MIT
// The reader's place on the page, behind the # of its address: #view=whole&op=17&zoom=12&at=5.5

export type Link = { [name: string]: string };

export function readLink(): Link {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

export function writeLink(link: Link): void {
  const text = new URLSearchParams(Object.entries(link).filter(([, value]) => value !== "")).toString();
  try {
    history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
  } catch {
    // A page in a frame may not set its address: then it has no links.
  }
}
