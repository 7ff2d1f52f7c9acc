/** All tags of the workspace: new ones, names, colours, merging two, deleting. */
import { HoplineError } from "@hopline/client/hopline-error";
import type { Tag } from "@hopline/client/openapi";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Check, Pencil, Plus, Trash2, X } from "lucide-react";
import { useState } from "react";
import { hasCode } from "../api.ts";
import { useHopline } from "../caches.ts";
import { countLinks } from "../links/count-links.ts";
import { readListsAgain } from "../links/link-cache.ts";
import { tagsQuery } from "../queries.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Button, IconButton } from "../ui/controls.tsx";
import { Modal } from "../ui/modal.tsx";
import { ErrorNote, Note, Skeleton } from "../ui/notes.tsx";
import { say, sayError } from "../ui/toasts.ts";
import { TagDot } from "./tag-dot.tsx";

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
    <Modal title="Tags" isOpen onClose={onClose}>
      <NewTag />
      {tags.isPending && <Skeleton lines={4} height={30} />}
      {tags.isError && <ErrorNote error={tags.error} onRetry={() => void tags.refetch()} />}
      {tags.data?.length === 0 && (
        <p className="soft">Tags group links across folders, and analytics count by them.</p>
      )}
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
                <span className="soft small spread">{countLinks(tag.links)}</span>
                <IconButton label={`Rename ${tag.name}`} isSmall onClick={() => setEdited(tag.name)}>
                  <Pencil size={14} aria-hidden />
                </IconButton>
                <IconButton label={`Delete ${tag.name}`} isSmall onClick={() => setDeleted(tag)}>
                  <Trash2 size={14} aria-hidden />
                </IconButton>
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
  const hopline = useHopline();
  const queryClient = useQueryClient();
  const [name, setName] = useState("");
  const making = useMutation({
    mutationFn: () => hopline.createTag({ body: { name } }),
    onSuccess: async () => {
      setName("");
      await queryClient.invalidateQueries({ queryKey: ["tags"] });
    },
    onError: sayFirstFault,
  });
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        making.mutate();
      }}
    >
      <input
        className="input"
        aria-label="New tag"
        placeholder="New tag"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
      />
      <Button type="submit" disabled={making.isPending}>
        <Plus size={15} aria-hidden /> Add
      </Button>
    </form>
  );
}

/** Chosen in the platform's own picker; saved when it closes. */
function ColorButton({ tag: { name, color } }: { readonly tag: Tag }) {
  const hopline = useHopline();
  const queryClient = useQueryClient();
  const saving = useMutation({
    mutationFn: (chosen: string | null) => hopline.updateTag({ tag: name, body: { color: chosen } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["tags"] }),
    onError: sayError,
  });
  return (
    <>
      <label className="tag-color" data-hint={`Colour of ${name}`}>
        <span className="hidden-label">Colour of {name}</span>
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
        <IconButton label={`No colour for ${name}`} isSmall onClick={() => saving.mutate(null)}>
          <X size={13} aria-hidden />
        </IconButton>
      )}
    </>
  );
}

function EditTag({ tag, onDone }: { readonly tag: Tag; readonly onDone: (name: string) => void }) {
  const hopline = useHopline();
  const queryClient = useQueryClient();
  const [name, setName] = useState(tag.name);
  const saving = useMutation({
    mutationFn: (isMerging: boolean) =>
      hopline.updateTag({ tag: tag.name, body: { name, merge: isMerging } }),
    onSuccess: async (saved, isMerging) => {
      onDone(saved.name);
      await Promise.all([queryClient.invalidateQueries({ queryKey: ["tags"] }), readListsAgain(queryClient)]);
      if (isMerging) {
        say(`${tag.name} is ${saved.name} now, on ${countLinks(saved.links)}.`);
      }
    },
  });
  const isTaken = hasCode(saving.error, "tag_taken");
  return (
    <form
      className="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate(false);
      }}
    >
      <div className="row">
        <TagDot color={tag.color} />
        <input
          className="input"
          aria-label={`Name of ${tag.name}`}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
            saving.reset();
          }}
          required
          // It appears because somebody asked to type here.
          autoFocus
        />
        <IconButton label="Save the name" type="submit" disabled={saving.isPending}>
          <Check size={16} aria-hidden />
        </IconButton>
        <IconButton label="Keep the old name" onClick={() => onDone(tag.name)}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      {isTaken && (
        <Note kind="warn">
          There is a tag {name} already. If both become one, they can&rsquo;t be told apart afterwards.{" "}
          <Button isSmall disabled={saving.isPending} onClick={() => saving.mutate(true)}>
            Merge into {name}
          </Button>
        </Note>
      )}
      {saving.isError && !isTaken && <ErrorNote error={saving.error} />}
    </form>
  );
}

type DeleteTagProps = {
  readonly tag: Tag;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
};

function DeleteTag({ tag, onClose, onDeleted }: DeleteTagProps) {
  const hopline = useHopline();
  const queryClient = useQueryClient();
  const deleting = useMutation({
    mutationFn: () => hopline.deleteTag({ tag: tag.name }),
    onSuccess: async () => {
      onDeleted();
      onClose();
      await readListsAgain(queryClient);
    },
  });
  return (
    <Confirm
      title={`Delete the tag ${tag.name}?`}
      button="Delete the tag"
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
      isPending={deleting.isPending}
      error={deleting.error}
    >
      {countLinks(tag.links)} {tag.links === 1 ? "loses" : "lose"} it, and{" "}
      {tag.links === 1 ? "stays" : "stay"}.
    </Confirm>
  );
}

/** `is a tag already` reads better than what is wrong with a form of one field. */
function sayFirstFault(error: unknown): void {
  const fault = error instanceof HoplineError ? error.problem?.errors?.[0]?.message : undefined;
  if (fault === undefined) {
    sayError(error);
  } else {
    say(`That name ${fault}.`);
  }
}
