/** All tags of the workspace: new ones, names, colours, merging two, deleting. */
import { countOf } from "../format.ts";
import type { Tag } from "@hopline/client/openapi";
import { useQuery } from "@tanstack/react-query";
import { Pencil, Trash2, X } from "lucide-react";
import { useState } from "react";
import { hasCode } from "../api.ts";
import { readListsAgain } from "../links/link-cache.ts";
import { tagsQuery } from "../queries.ts";
import { Button, IconButton } from "../ui/controls.tsx";
import { Confirm, Modal } from "../ui/modal.tsx";
import { NameForm } from "../ui/name-form.tsx";
import { Note, Waiting } from "../ui/page.tsx";
import { say } from "../ui/toasts.ts";
import { useSending } from "../use-sending.ts";
import { t } from "./words.ts";
import { shared } from "../words.ts";

type TagsDialogProps = {
  readonly onClose: () => void;
  /** A tag has another name now, or none. */
  readonly onRenamed: (from: string, to: string | null) => void;
};

export function TagsDialog({ onClose, onRenamed }: TagsDialogProps) {
  const tags = useQuery(tagsQuery);
  const [edited, setEdited] = useState<string | null>(null);
  const [deleted, setDeleted] = useState<Tag | null>(null);
  return (
    <Modal title={shared.tags} onClose={onClose}>
      <NewTag />
      <Waiting query={tags} lines={4} height={30} />
      {tags.data?.length === 0 && <p className="soft">{t.tagsGroupLinksAcross}</p>}
      <ul className="tag-list">
        {(tags.data ?? []).map((tag) => (
          <li key={tag.name}>
            {edited === tag.name ? (
              <EditTag
                tag={tag}
                onDone={(name) => {
                  setEdited(null);
                  if (name !== tag.name) {
                    onRenamed(tag.name, name);
                  }
                }}
              />
            ) : (
              <div className="row">
                <ColorButton tag={tag} />
                <span className="cut">{tag.name}</span>
                <span className="soft small spread">{countOf(tag.links, "link")}</span>
                <IconButton icon={Pencil} label={t.renameTag(tag.name)} onClick={() => setEdited(tag.name)} />
                <IconButton icon={Trash2} label={t.deleteTag(tag.name)} onClick={() => setDeleted(tag)} />
              </div>
            )}
          </li>
        ))}
      </ul>
      {deleted !== null && (
        <DeleteTag
          tag={deleted}
          onClose={() => setDeleted(null)}
          onDeleted={() => onRenamed(deleted.name, null)}
        />
      )}
    </Modal>
  );
}

function NewTag() {
  const [made, setMade] = useState(0);
  const making = useSending({
    send: (hopline, name: string) => hopline.createTag({ body: { name } }),
    rereads: ["tags"],
    onSent: () => setMade(made + 1),
  });
  return <NameForm key={made} label={t.newTag} submit={t.add} sending={making} onSubmit={making.mutate} />;
}

/** Chosen in the platform's own picker; saved when it closes. */
function ColorButton({ tag: { name, color } }: { readonly tag: Tag }) {
  const saving = useSending({
    send: (hopline, chosen: string | null) => hopline.updateTag({ tag: name, body: { color: chosen } }),
    rereads: ["tags"],
    isBare: true,
  });
  return (
    <>
      <label className="tag-color" data-hint={t.colourName(name)}>
        <span className="hidden-label">{t.colourName(name)}</span>
        <input
          // The platform says `change` once, when the choice is made; React would for each colour on the way.
          key={color}
          type="color"
          defaultValue={color ?? "#888888"}
          ref={(input) => {
            const save = () => saving.mutate(input?.value ?? null);
            input?.addEventListener("change", save);
            return () => input?.removeEventListener("change", save);
          }}
        />
        <span className={color === null ? "tag-dot none" : "tag-dot"} style={{ background: color ?? "" }} />
      </label>
      {color !== null && (
        <IconButton icon={X} label={t.noColourForName(name)} onClick={() => saving.mutate(null)} />
      )}
    </>
  );
}

function EditTag({ tag, onDone }: { readonly tag: Tag; readonly onDone: (name: string) => void }) {
  const saving = useSending({
    send: (hopline, change: { readonly name: string; readonly merge: boolean }) =>
      hopline.updateTag({ tag: tag.name, body: change }),
    onSent: async (saved, { merge }, cache) => {
      onDone(saved.name);
      await readListsAgain(cache);
      if (merge) {
        say(t.tagIsSavedNowOn(tag.name, saved.name, saved.links));
      }
    },
  });
  return (
    <NameForm
      label={t.nameTag(tag.name)}
      name={tag.name}
      submit={shared.save}
      sending={saving}
      onSubmit={(name) => saving.mutate({ name, merge: false })}
      onCancel={() => onDone(tag.name)}
      explainError={(error, name) =>
        hasCode(error, "tag_taken") && (
          <Note kind="warn">
            {t.thereIsTagAlreadyIfBoth(name)}{" "}
            <Button
              label={t.mergeInto(name)}
              isSmall
              disabled={saving.isPending}
              onClick={() => saving.mutate({ name, merge: true })}
            />
          </Note>
        )
      }
    />
  );
}

type DeleteTagProps = { readonly tag: Tag; readonly onClose: () => void; readonly onDeleted: () => void };

function DeleteTag({ tag, onClose, onDeleted }: DeleteTagProps) {
  return (
    <Confirm
      title={t.askDeleteTag(tag.name)}
      button={t.deleteTagButton}
      send={(hopline) => hopline.deleteTag({ tag: tag.name })}
      onSent={(_deleted, _given, cache) => {
        onDeleted();
        onClose();
        return readListsAgain(cache);
      }}
      onClose={onClose}
    >
      {t.itAnd(tag.links)}
    </Confirm>
  );
}
