# cmake [-D write=ON] -P cmake/check_names.cmake: compares two lists of public names with the
# headers, so that a diff shows a change of the public names. write=ON writes the lists.
#   docs/develop/names.txt     names at namespace level, except those in detail/ and in namespaces
#                              detail
#   docs/develop/members.txt   public members of these classes and values of these enumerations,
#                              without those of the laboratory
# The script reads the text, and relies on the layout of clang-format: a declaration in a namespace
# begins in the first column, one in a class in the third.
cmake_minimum_required(VERSION 3.25)
set(root "${CMAKE_CURRENT_LIST_DIR}/..")
file(GLOB_RECURSE headers RELATIVE "${root}/include/argosy" "${root}/include/argosy/*.hpp")
list(FILTER headers EXCLUDE REGEX "(^|/)detail/")

set(word "[A-Za-z_][A-Za-z_0-9]*")

# argosy_members_in(line space): adds to `members` the names in the first line of a declaration, or
# in a line of an enumeration. Leaves out constructors, operators and friends.
function(argosy_members_in line space)
  string(REGEX REPLACE "^.*::(.*)::$" "\\1" class "${space}")
  string(REGEX REPLACE " *//.*" "" line "${line}")
  string(REPLACE "decltype(auto)" "auto" line "${line}")
  foreach(depth RANGE 4) # arguments of templates may have parentheses and commas
    string(REGEX REPLACE "<[^<>]*>|{[^{}]*}" "" line "${line}")
  endforeach()
  if(line MATCHES "^(template|requires|friend|static_assert|explicit|[}~=])|operator")
    return()
  elseif(line MATCHES "^(using|class|struct|enum class|enum) (${word})( |$)")
    set(found "${CMAKE_MATCH_2}")
  elseif(line MATCHES "^([^(={^]*[ *&])?(${word})\\(")
    set(found "${CMAKE_MATCH_2}")
  elseif(line MATCHES "^[^(={^]*\\(\\*(${word})\\)\\(") # a pointer to a function
    set(found "${CMAKE_MATCH_1}")
  elseif(line MATCHES "^[^(=]*(=|[,^]|$)")
    string(REGEX MATCHALL "${word} *(=[^,^]*)?([,^]|$)" found "${line}")
    list(TRANSFORM found REPLACE "^(${word}).*" "\\1")
  endif()
  list(REMOVE_ITEM found "${class}")
  list(TRANSFORM found PREPEND "${space}")
  set(members ${members} ${found} PARENT_SCOPE)
endfunction()

# argosy_class_line(line space): adds to `members` the public ones in a line of a header. `class` is
# the class or enumeration that the line is in. `access` is private, public, or a word for members
# that are public at first.
function(argosy_class_line line space)
  if(line MATCHES "^enum (class )?(${word})[^{]*{(.*)}")
    argosy_members_in("${CMAKE_MATCH_3}" "${space}${CMAKE_MATCH_2}::")
  elseif(line MATCHES "^(class|struct|enum class|enum) (${word})[^^]*$")
    set(class "${CMAKE_MATCH_2}")
    string(REPLACE "class" "private" access "${CMAKE_MATCH_1}")
  elseif(line MATCHES "^}")
    set(class "")
  elseif(class AND line MATCHES "^ (public|private|protected):")
    set(access "${CMAKE_MATCH_1}")
  elseif(class AND line MATCHES "^  ([^ ].*)" AND NOT access STREQUAL "private")
    argosy_members_in("${CMAKE_MATCH_1}" "${space}${class}::")
  endif()
  set(class "${class}" PARENT_SCOPE)
  set(access "${access}" PARENT_SCOPE)
  set(members ${members} PARENT_SCOPE)
endfunction()

set(names "")
set(members "")
foreach(header IN LISTS headers)
  file(READ "${root}/include/argosy/${header}" lines)
  # brackets and semicolons are list syntax in CMake
  string(REGEX REPLACE "[][]" " " lines "${lines}")
  string(REPLACE ";" "^" lines "${lines}")
  string(REPLACE "\n" ";" lines "${lines}")
  set(spaces "") # namespaces that are open
  set(before "")
  set(class "")
  foreach(line IN LISTS lines)
    list(JOIN spaces "" space)
    if(space MATCHES "^argosy::" AND NOT space MATCHES "detail::" AND NOT header MATCHES "^lab/")
      argosy_class_line("${line}" "${space}")
    endif()
    if(line MATCHES "^(inline )?namespace ([a-z_:0-9]+) {")
      list(APPEND spaces "${CMAKE_MATCH_2}::")
    elseif(line MATCHES "^}  // namespace" OR (line STREQUAL "}" AND before MATCHES "^(class|struct) [a-z_]+\\^"))
      list(POP_BACK spaces)
    elseif(NOT space MATCHES "^argosy::" OR space MATCHES "detail::" OR line MATCHES "^[ }]" OR line STREQUAL "")
      # the inside of a declaration, or a detail
    elseif(line MATCHES "^(class|struct|enum class|enum|concept|using) (${word})(<.*>)?( final)?( requires.*| [:={].*)?$")
      list(APPEND names "${space}${CMAKE_MATCH_2}")
    elseif(line MATCHES "^(static_assert|requires|template|friend|using|return|#|/)")
      # not a declaration of a name
    elseif(line MATCHES "^[A-Za-z_][A-Za-z_:0-9<>, *&()]*[ *&](${word})\\(")
      list(APPEND names "${space}${CMAKE_MATCH_1}")
    elseif(line MATCHES "^(inline|constexpr|extern) [A-Za-z_:0-9<>, *&]* (${word})( =|{|\\^)")
      list(APPEND names "${space}${CMAKE_MATCH_2}")
    endif()
    set(before "${line}")
  endforeach()
endforeach()
list(FILTER names EXCLUDE REGEX "::(operator|requires|decltype|static_assert|explicit)$")
list(FILTER members EXCLUDE REGEX "::(requires|decltype|static_assert)$")

# argosy_compare(file found...): compares the names found with those in the file, or writes them.
function(argosy_compare file)
  set(listing "${root}/docs/develop/${file}")
  list(JOIN ARGN "\n" text)
  if(write)
    file(WRITE "${listing}" "${text}\n")
    return()
  endif()
  file(STRINGS "${listing}" known)
  if(NOT known STREQUAL ARGN)
    set(new ${ARGN})
    list(REMOVE_ITEM new "" ${known})
    list(REMOVE_ITEM known "" ${ARGN})
    list(JOIN new ", " new)
    list(JOIN known ", " known)
    message(FATAL_ERROR "users may name other things than docs/develop/${file} says\n"
      "  new:  ${new}\n  gone: ${known}\n"
      "If that is meant, cmake -D write=ON -P cmake/check_names.cmake writes it anew; say it in CHANGELOG.md, too.\n"
      "What no user should name belongs into detail/ and a namespace detail.")
  endif()
endfunction()

foreach(list IN ITEMS names members)
  list(SORT ${list})
  list(REMOVE_DUPLICATES ${list})
  argosy_compare(${list}.txt ${${list}})
endforeach()
set(product ${names})
list(FILTER product EXCLUDE REGEX "^argosy::lab::")
list(LENGTH product product_count)
list(LENGTH names count)
list(LENGTH members member_count)
message(STATUS "${product_count} names in the product, which have ${member_count} members, "
  "and ${count} names with the laboratory")
